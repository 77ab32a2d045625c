"""The command line: parse, call one function, print."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from manyheads import __version__
from manyheads.console import console, say
from manyheads.course import Course, find_course
from manyheads.errors import ManyheadsError, NotReleasedError, StudentsCopyError

# Each command imports what it needs when it runs, so that `--help` answers at once.

app = typer.Typer(
    name="manyheads",
    help="Work through the lessons on multi-head attention; build, check and grade them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Lesson = Annotated[str, typer.Argument(help="A lesson's id, or its first letters: 02")]
AnyLesson = Annotated[str | None, typer.Argument(help="A lesson's id, or its first letters: 02")]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; a failure becomes one line on stderr and the error's exit code."""
    try:
        app(args=arguments)
    except ManyheadsError as error:
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(error.exit_code) from None
    except OSError as error:  # a full disk, a folder without permission: the system's words say it
        sys.stderr.write(f"error: {error}\n")
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def course_with(folder: str) -> Course:
    """The course, when it holds `folder`, which students' copies don't.

    Raises StudentsCopyError for an unpacked bundle.
    """
    course = find_course()
    if not (course.root / folder).is_dir():
        raise StudentsCopyError(
            f"{course.root} is a students' copy, without {folder}/. This needs the whole course."
        )
    return course


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        say(f"manyheads {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Work through the lessons on multi-head attention; build, check and grade them."""


@app.command()
def lab(
    lesson: AnyLesson = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Default: 8888 or the next free.")
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open a browser window.")
    ] = True,
) -> None:
    """Open your own copy of the lessons in JupyterLab (the first unfinished one, or LESSON)."""
    from manyheads.student.lab import open_lab

    raise typer.Exit(open_lab(find_course(), lesson, port, browser, say))


@app.command()
def build(
    check: Annotated[
        bool, typer.Option("--check", help="Only tell whether a build would change anything.")
    ] = False,
) -> None:
    """Build source/ and release/ from notebooks/."""
    course = course_with("notebooks")
    from manyheads.build import build_course, check_drift

    if check:
        check_drift(course)
        say("source/ and release/ are what notebooks/ builds.")
        return
    changed = [path.relative_to(course.root).as_posix() for path in build_course(course)]
    say(*changed or ["source/ and release/ are up to date."])


@app.command()
def check(lesson: Lesson) -> None:
    """Run your copy of LESSON (or a notebook file) and show its checks and visible tests."""
    from manyheads.student.run_checks import run_checks
    from manyheads.student.show import check_lines

    report = run_checks(find_course(), lesson)
    say(*check_lines(report))
    if report.passed < len(report.outcomes) or report.remarks:
        raise typer.Exit(1)


@app.command()
def status() -> None:
    """Show what is done and what is next."""
    from manyheads.student.show import status_table
    from manyheads.student.status import course_status, next_lesson

    statuses = course_status(find_course())
    console().print(status_table(statuses))
    say(f"Next: {next_lesson(statuses).next_step}")


@app.command()
def submit(
    lesson: Lesson,
    student: Annotated[str, typer.Option("--as", metavar="ID", help="Your student id.")],
) -> None:
    """Send in your copy of LESSON."""
    from manyheads.student.submit import submit as send

    sent = send(find_course(), lesson, student, datetime.now().astimezone())
    for warning in sent.warnings:
        typer.echo(f"warning: {warning}", err=True)
    say(f"Submitted, {sent.answered} of {sent.questions} questions answered: {sent.path}")
    if sent.replaced:
        say(f"It replaces your earlier submission, which is kept in {sent.replaced}")


@app.command()
def reset(lesson: Lesson) -> None:
    """Lay a fresh copy of LESSON; your old one is kept aside."""
    from manyheads.student.copies import reset as lay_fresh
    from manyheads.student.copies import work_path

    course = find_course()
    aside = lay_fresh(course, lesson, datetime.now().astimezone())
    say(f"A fresh copy is at {work_path(course, lesson)}")
    if aside:
        say(f"Your old one is kept at {aside}")


@app.command()
def bundle(
    to: Annotated[Path | None, typer.Option(help="Default: dist/manyheads-students.zip")] = None,
) -> None:
    """Pack what students may have into one zip file."""
    from manyheads.student.bundle import write_bundle

    course = course_with("source")
    path = to or course.root / "dist" / "manyheads-students.zip"
    names = write_bundle(course, path)
    say(f"{len(names)} files, none holding anything hidden: {path}")


@app.command()
def grade(
    lesson: AnyLesson = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Processes that grade at once. Default: one for each CPU."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Grade everything anew, changed or not.")
    ] = False,
    feedback: Annotated[
        bool,
        typer.Option("--feedback/--no-feedback", help="Write students' feedback pages, or not."),
    ] = True,
    no_sandbox: Annotated[
        bool,
        typer.Option("--no-sandbox", help="Run students' code unconfined. All results are marked."),
    ] = False,
) -> None:
    """Grade what is in submitted/: gradebook, grades.csv, feedback pages.

    Grades LESSON, or all lessons. What is graded and has not changed stays as
    it is, so a run that was stopped goes on where it was. Where only hidden
    tests were corrected, only their exercises are judged again. Points and
    comments that a person gave are kept.
    """
    course = course_with("source")
    lessons = [course.lesson(lesson)] if lesson else course.lessons()
    if not lessons:
        raise NotReleasedError(
            f"{course.root} has no lesson yet. Build them with `manyheads build`."
        )
    from manyheads.grade import grade_class
    from manyheads.grade.report import class_table, summary_table
    from manyheads.grade.summary import summary
    from manyheads.student.show import progress_bar

    screen = console()
    with progress_bar(screen) as progress:
        report = grade_class(
            course,
            lessons,
            progress,
            workers=workers,
            again=again,
            isolated=not no_sandbox,
            feedback=feedback,
        )
    screen.print(summary_table(report) if report.large else class_table(report))
    say(*summary(report))
    if feedback:
        say(f"Feedback for students: {report.feedback}")
    say(f"Grades: {report.csv}")
    if report.failures:
        say(f"The log of this run: {report.log}")
        raise typer.Exit(1)


@app.command()
def bank(
    check: Annotated[
        bool, typer.Option("--check", help="Only tell whether docs/assessment.md is still true.")
    ] = False,
) -> None:
    """Put every known answer to the tests and the checks; write docs/assessment.md."""
    course = course_with("tests/bank")
    from manyheads.student.show import progress_bar
    from manyheads.teach.assessment import check_document, terminal_table, write_document
    from manyheads.teach.kill_table import kill_table

    screen = console()
    with progress_bar(screen) as progress:
        table = kill_table(course, progress)
    screen.print(terminal_table(table))
    if check:
        check_document(course, table)
        say("docs/assessment.md is what the bank gives.")
    else:
        say(f"Survivors, and what is not named, with reasons: {write_document(course, table)}")
    missed = table.missed()
    say(*(f"missed: {floor}" for floor in missed))
    if missed:
        raise typer.Exit(1)


@app.command()
def site(
    to: Annotated[Path | None, typer.Option(help="Default: site/")] = None,
) -> None:
    """Write a static site: every lesson as released, executed, to open from disk."""
    course = course_with("source")
    from manyheads.site import write_site

    pages = write_site(course, to or course.root / "site")
    say(f"{len(pages)} files, none holding anything hidden. Open {pages[-2]}")


@app.command()
def doctor() -> None:
    """Tell what is installed, what is missing, and what to do about it."""
    from manyheads.student.doctor import examine
    from manyheads.student.show import doctor_table

    findings = examine()
    console().print(doctor_table(findings))
    if any(not found.ok and found.needed_for == "students" for found in findings):
        raise typer.Exit(1)


if __name__ == "__main__":
    main()
