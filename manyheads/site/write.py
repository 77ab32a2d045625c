"""Put the site's pages together and write them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template

from manyheads import explore
from manyheads.course import Course
from manyheads.errors import NotReleasedError
from manyheads.site.lesson import Lesson, read_lesson

HERE = Path(__file__).parent
CALLED = {
    "compare": "your tensors beside the target",
    "head_map": "head map",
    "sentence": "heads on a sentence",
    "shape_tracer": "shape tracer",
}


def write_site(course: Course, folder: Path) -> list[Path]:
    """Write an index and a page a lesson into `folder`; nothing is written unless all are safe.

    The pages open from disk: no server, no kernel, nothing fetched. Other files there are left.

    Raises NotReleasedError when the course has no lesson, and what `read_lesson` raises.
    """
    names = course.lessons()
    if not names:
        raise NotReleasedError(f"{course.root} has no lesson yet. Build them: `manyheads build`.")
    lessons = [read_lesson(course, name) for name in names]
    pages = {f"{lesson.id}.html": _page(lessons, lesson) for lesson in lessons}
    pages |= {"index.html": _index(lessons), "site.css": _file("site.css")}
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in pages]


def _page(lessons: Sequence[Lesson], lesson: Lesson) -> str:
    return Template(_file("page.html")).substitute(
        title=escape(f"{lesson.number} · {lesson.title}"),
        nav=_nav(lessons, lesson),
        body=lesson.body,
    )


def _index(lessons: Sequence[Lesson]) -> str:
    return Template(_file("index.html")).substitute(
        explorer=explore.sentence().page(),
        lessons="\n".join(map(_entry, lessons)),
    )


def _nav(lessons: Sequence[Lesson], here: Lesson) -> str:
    items = ['<li><a href="index.html">All lessons</a></li>']
    for lesson in lessons:
        current = ' aria-current="page"' if lesson is here else ""
        name = f"{escape(lesson.number)} · {escape(lesson.title)}"
        items.append(f'<li><a href="{lesson.id}.html"{current}>{name}</a></li>')
    return "\n".join(items)


def _entry(lesson: Lesson) -> str:
    """A lesson in the index: what it is called, what it gives, what is in it."""
    builds = ", ".join(f"<code>{escape(name)}</code>" for name in lesson.builds)
    opens = ", ".join(CALLED.get(name, name) for name in lesson.explorers)
    facts = [
        f"{lesson.minutes} minutes" if lesson.minutes else "",
        f"you build {builds}" if builds else "",
        f"explorers: {opens}" if opens else "",
    ]
    win = escape(lesson.win[:1].upper() + lesson.win[1:])
    return (
        f'<li><h3><a href="{lesson.id}.html">{escape(lesson.number)} · {escape(lesson.title)}</a>'
        f"</h3><p>{win}</p><p>{'; '.join(filter(None, facts))}</p></li>"
    )


def _file(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
