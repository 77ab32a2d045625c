"""What goes wrong with submissions on their way: each breakage, what it keeps, how it is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Content = dict[str, Any]
Break = Callable[[Path], None]
BREAKAGES: dict[str, Breakage] = {}


@dataclass(frozen=True)
class Breakage:
    """A way to break the submission whose notebook lies at a path.

    `told` is a pattern that the report holds beside the student's name; `graded` says whether
    scores are expected all the same.
    """

    name: str
    told: str
    graded: bool
    apply: Break


def breaks(told: str, *, graded: bool = True) -> Callable[[Break], Break]:
    """Register a breakage under its function's name."""

    def register(apply: Break) -> Break:
        BREAKAGES[apply.__name__] = Breakage(apply.__name__, told, graded, apply)
        return apply

    return register


def break_share(paths: Sequence[Path], share: float, names: Iterable[str] = ()) -> dict[str, str]:
    """Break a share of the submissions at `paths`, evenly spread; which student, and how.

    Every breakage is used before one is used again.
    """
    wanted = list(names or BREAKAGES)
    count = round(len(paths) * share)
    step = len(paths) // count
    chosen = [paths[n * step + n % step] for n in range(count)]  # not the same lesson each time
    broken = {}
    for number, path in enumerate(chosen):
        breakage = BREAKAGES[wanted[number % len(wanted)]]
        breakage.apply(path)
        broken[path.parts[-3]] = breakage.name
    return broken


def _edit(path: Path, edit: Callable[[Content], Any]) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    edit(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def _grade_id(cell: Content) -> str:
    return str(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))


def _function(content: Content) -> Content:
    """The cell of the lesson's second function, so that something stands before and after."""
    names = [_grade_id(cell) for cell in content["cells"]]
    [_, name, *_] = [
        name
        for name in names
        if f"test_{name}_values" in names and not name.startswith(("quiz", "practice"))
    ]
    return next(cell for cell in content["cells"] if _grade_id(cell) == name)


def _answer(path: Path, body: str) -> None:
    """Write a function with this body as the answer to that exercise."""

    def write(content: Content) -> None:
        cell = _function(content)
        cell["source"] = f"def {_grade_id(cell)}(*args, **kwargs):\n    {body}"

    _edit(path, write)


def _own_cell(path: Path, source: str) -> None:
    """Put a cell of the student's own above that exercise."""
    cell = {"cell_type": "code", "id": "own-broken", "metadata": {}, "outputs": []}

    def insert(content: Content) -> None:
        place = content["cells"].index(_function(content))
        content["cells"].insert(place, {**cell, "execution_count": None, "source": source})

    _edit(path, insert)


def _test_cell(content: Content) -> Content:
    return next(cell for cell in content["cells"] if _grade_id(cell).endswith("_values"))


@breaks("conflict", graded=False)
def conflict_markers(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[40:40] = ["<<<<<<< HEAD", "=======", ">>>>>>> origin/main"]
    path.write_text("\n".join(lines), encoding="utf-8")


@breaks("line|JSON", graded=False)
def truncated(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: len(text) // 2], encoding="utf-8")


@breaks("endless|ran longer|time limit|30 s|stopped")
def endless_loop(path: Path) -> None:
    _answer(path, "while True: pass")


@breaks("exited")
def exits(path: Path) -> None:
    _answer(path, "import os; os._exit(0)")


@breaks("exited|crash|signal")
def crashes(path: Path) -> None:
    _answer(path, "import ctypes; ctypes.string_at(0)")


@breaks("memory")
def memory_bomb(path: Path) -> None:
    _answer(path, "hoard = []\n    while True: hoard.append(bytes(2**28))")


@breaks("test_.* was there 2 times")
def copied_test(path: Path) -> None:
    def copy(content: Content) -> None:
        cell = _test_cell(content)
        content["cells"].append({**cell, "id": "copied"})

    _edit(path, copy)


@breaks("missing|deleted|put back|restored")
def deleted_test(path: Path) -> None:
    _edit(path, lambda content: content["cells"].remove(_test_cell(content)))


@breaks("")
def flipped_metadata(path: Path) -> None:
    def flip(content: Content) -> None:
        entry = _test_cell(content)["metadata"]["nbgrader"]
        entry.update(points=100, grade=False, solution=True, locked=False, schema_version=99)

    _edit(path, flip)


@breaks("")
def skipped_by_a_tag(path: Path) -> None:
    _edit(path, lambda content: _test_cell(content)["metadata"].update(tags=["skip-execution"]))


@breaks("")
def one_line_of_50_megabytes(path: Path) -> None:
    _own_cell(path, "print('x' * 50_000_000)")


@breaks("")
def a_million_displays(path: Path) -> None:
    _own_cell(path, "for n in range(1_000_000):\n    display(n)")


@breaks(r"\(1\)|renamed|taken")
def renamed_by_a_browser(path: Path) -> None:
    path.rename(path.with_name(f"{path.stem} (1).ipynb"))


@breaks("")
def asks_for_input(path: Path) -> None:
    _own_cell(path, "name = input('who are you? ')")


@breaks("ran longer|stopped|30 s|time")
def endless_cell(path: Path) -> None:
    _own_cell(path, "while True:\n    try:\n        pass\n    except BaseException:\n        pass")


@breaks("empty", graded=False)
def empty_file(path: Path) -> None:
    path.write_bytes(b"")


@breaks("list|object|notebook", graded=False)
def a_list(path: Path) -> None:
    path.write_text("[1, 2]", encoding="utf-8")


@breaks("two|candidates|2 notebooks|which", graded=False)
def two_candidates(path: Path) -> None:
    path.with_name(f"{path.stem} (1).ipynb").write_bytes(path.read_bytes())
    _own_cell(path, "# a later thought")
    path.rename(path.with_name(f"{path.stem} (2).ipynb"))


@breaks("no notebook|holds", graded=False)
def nothing_handed_in(path: Path) -> None:
    path.unlink()


@breaks("")
def utf_8_with_a_mark(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())


@breaks("nbgrader|marks|rebuilt|content")
def stripped_by_an_editor(path: Path) -> None:
    def strip(content: Content) -> None:
        content["nbformat_minor"] = 2
        for cell in content["cells"]:
            cell["metadata"] = {}
            cell.pop("id", None)

    _edit(path, strip)


@breaks("")
def another_kernel(path: Path) -> None:
    spec = {"name": "conda-root-py", "display_name": "Python [conda env:root]", "language": "R"}
    _edit(path, lambda content: content["metadata"].update(kernelspec=spec))


@breaks("")
def shell_cells(path: Path) -> None:
    _own_cell(path, "%%bash\npip install --quiet nothing-of-this-name; cat")


@breaks("NotImplementedError|not attempted|unfinished")
def left_unfinished(path: Path) -> None:
    _answer(path, "raise NotImplementedError")
