"""What the site shows of one lesson: read from its release, executed, and rendered as HTML."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from manyheads.build.leaks import HiddenText
from manyheads.course import Course, notebook_path
from manyheads.errors import LeakError, NotReleasedError, SiteError
from manyheads.student.notebook import Notebook, grade_id, grading, read_notebook, source
from manyheads.student.run_checks import execute

CELL_TIMEOUT = 120  # seconds; the first cell imports torch
TITLE = re.compile(r"^# (?:(\d+) · )?(.+)$", re.MULTILINE)
WIN = re.compile(r"\*\*The win:\*\* (.+)")
MINUTES = re.compile(r"^(\d+) minutes\.", re.MULTILINE)
EXPLORER = re.compile(r"\bexplore\.(\w+)\(")


@dataclass(frozen=True)
class Lesson:
    """A lesson as the site's index lists it, and the body of its page.

    builds: the functions that a student writes; explorers: those the lesson opens, by name
    """

    id: str
    number: str
    title: str
    win: str
    minutes: str
    builds: tuple[str, ...]
    explorers: tuple[str, ...]
    body: str


def read_lesson(course: Course, lesson: str) -> Lesson:
    """Run a lesson's release in a kernel and render it.

    Raises NotReleasedError for a lesson without a release, SiteError when the run ends early, and
    LeakError when anything hidden from students is found in the result.
    """
    path = notebook_path(course.release, lesson)
    if not path.is_file():
        raise NotReleasedError(f"{lesson} has no release in {path}. Build it: `manyheads build`.")
    hidden = _hidden(course, lesson)
    hidden.verify(read_notebook(path), lesson)
    executed, remarks = execute(read_notebook(path), path.parent, CELL_TIMEOUT)
    if remarks:
        raise SiteError(f"The release of {lesson} can't be shown on the site. {' '.join(remarks)}")
    _forget_tests(executed)
    body = render(executed)
    refuse_leaks(hidden, lesson, body)
    return _described(lesson, executed, body)


def refuse_leaks(hidden: HiddenText, lesson: str, body: str) -> None:
    """Raise LeakError if a page shows what the lesson's source hides.

    A choice's letter is hidden too, but stands in every list of choices: as on feedback pages,
    lines that carry next to nothing don't count.
    """
    found = hidden.found_in_page(body)
    if found:
        raise LeakError(
            f"The site's page of {lesson} would show {len(found)} hidden lines of its source. "
            "Nothing was written. Look at what the lesson's cells print."
        )


def _hidden(course: Course, lesson: str) -> HiddenText:
    written = notebook_path(course.source, lesson).read_text(encoding="utf-8")
    return HiddenText.of(json.loads(written))


def render(notebook: Notebook) -> str:
    """The cells and outputs of a notebook as HTML, without a page around them."""
    import nbformat
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(
        template_name="basic",
        exclude_anchor_links=True,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    body, _ = exporter.from_notebook_node(nbformat.from_dict(notebook))
    return _linked(str(body))


def _forget_tests(notebook: Notebook) -> None:
    """Graded tests of an untouched release fail, at length and to nobody's use."""
    for cell in notebook["cells"]:
        if grading(cell).get("grade") and cell["cell_type"] == "code":
            cell["outputs"] = []


def _linked(body: str) -> str:
    """Links between lessons lead to the site's pages; the glossary is not among them."""
    body = re.sub(r'href="\.\./(\w+)/\1\.ipynb"', r'href="\1.html"', body)
    return re.sub(r'<a href="\.\./glossary\.md">(.*?)</a>', r"\1", body)


def _described(lesson: str, notebook: Notebook, body: str) -> Lesson:
    text = "\n".join(source(c) for c in notebook["cells"] if c["cell_type"] == "markdown")
    code = "\n".join(source(c) for c in notebook["cells"] if c["cell_type"] == "code")
    title, win, minutes = TITLE.search(text), WIN.search(text), MINUTES.search(text)
    return Lesson(
        id=lesson,
        number=(title[1] or "") if title else "",
        title=title[2] if title else lesson,
        win=win[1].replace("`", "") if win else "",
        minutes=minutes[1] if minutes else "",
        builds=tuple(name for cell in notebook["cells"] if (name := _built(cell))),
        explorers=tuple(dict.fromkeys(EXPLORER.findall(code))),
        body=body,
    )


def _built(cell: dict[str, Any]) -> str | None:
    """The function that a solution cell asks for."""
    name = grade_id(cell)
    asked = grading(cell).get("solution") and f"def {name}(" in source(cell)
    return name if asked else None
