"""Hostile folders and files: what a submission may be instead of a notebook, or bring along.

Each function changes a submission's folder; the notebook in it holds wrong answers.
"""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

FOLDERS: dict[str, Callable[[Path, Path], None]] = {}
Change = Callable[[Path, Path], None]


def folder(change: Change) -> Change:
    """Register a change of (the submission's folder, the course's root), named as it is."""
    FOLDERS["folder-" + change.__name__.strip("_").replace("_", "-")] = change
    return change


def _notebook(where: Path) -> Path:
    return where / f"{where.name}.ipynb"


def _edit(where: Path, edit: Callable[[dict[str, Any]], Any]) -> None:
    content = json.loads(_notebook(where).read_text(encoding="utf-8"))
    edit(content)
    _notebook(where).write_text(json.dumps(content), encoding="utf-8")


def _link(where: Path, target: Path | str) -> None:
    _notebook(where).unlink()
    _notebook(where).symlink_to(target)


@folder
def notebook_is_a_link_to_passwd(where: Path, course: Path) -> None:
    _link(where, "/etc/passwd")


@folder
def notebook_is_a_link_to_the_source(where: Path, course: Path) -> None:
    _link(where, course / "source" / where.name / f"{where.name}.ipynb")


@folder
def notebook_is_a_link_to_a_neighbours(where: Path, course: Path) -> None:
    _link(where, course / "submitted" / "a-bystander" / where.name / f"{where.name}.ipynb")


@folder
def folder_is_a_link_to_a_neighbours(where: Path, course: Path) -> None:
    for path in where.iterdir():
        path.unlink()
    where.rmdir()
    where.symlink_to(course / "submitted" / "a-bystander" / where.name)


@folder
def notebook_is_a_link_to_itself(where: Path, course: Path) -> None:
    _link(where, _notebook(where).name)


@folder
def notebook_is_a_device(where: Path, course: Path) -> None:
    _link(where, "/dev/zero")


@folder
def notebook_is_a_pipe(where: Path, course: Path) -> None:
    _notebook(where).unlink()
    os.mkfifo(_notebook(where))


@folder
def notebook_is_a_folder(where: Path, course: Path) -> None:
    _notebook(where).unlink()
    _notebook(where).mkdir()


@folder
def notebook_is_a_pickle(where: Path, course: Path) -> None:
    class Boom:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.system, (f"touch {course}/attacked-mark",)

    _notebook(where).write_bytes(pickle.dumps(Boom()))


@folder
def links_beside(where: Path, course: Path) -> None:
    for n, target in enumerate(["/etc/passwd", course / "gradebook.db", course / "source", "/"]):
        (where / f"link{n}.txt").symlink_to(target)
    (where / "loop").symlink_to(where)
    _edit(
        where,
        lambda nb: nb["cells"].append(_code("!cat link*.txt\nprint(open('link0.txt').read())")),
    )


@folder
def devices_beside(where: Path, course: Path) -> None:
    os.mkfifo(where / "pipe.txt")
    (where / "zero.txt").symlink_to("/dev/zero")
    (where / "random.csv").symlink_to("/dev/random")


@folder
def sparse_file_beside(where: Path, course: Path) -> None:
    with (where / "data.bin").open("wb") as file:
        file.truncate(2**40)


@folder
def many_files_beside(where: Path, course: Path) -> None:
    deep = where
    for n in range(60):
        deep = deep / f"d{n}"
    deep.mkdir(parents=True)
    for n in range(2000):
        (where / f"file{n}.txt").write_text("x")
    (where / "new\nline \udcff.txt").write_text("x")


@folder
def modules_beside(where: Path, course: Path) -> None:
    evil = "import torch\ntorch.equal = torch.allclose = lambda *a, **k: True\n"
    for name in (
        *("torch.py", "numpy.py", "sitecustomize.py", "usercustomize.py", "conftest.py"),
        *("json.py", "socket.py", "struct.py", "random.py", "IPython.py", "nbgrader_config.py"),
        *("ipython_config.py", "jupyter_config.py", "a.pth", "matplotlibrc", "pyvenv.cfg"),
        *("manyheads/__init__.py", "manyheads/check/__init__.py", "torch/__init__.py"),
        ".ipython/profile_default/startup/00.py",
    ):
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(evil)


@folder
def timestamp_is_fake(where: Path, course: Path) -> None:
    (where / "timestamp.txt").write_text("1970-01-01 00:00:00.000000 UTC")


@folder
def timestamp_is_of_the_future(where: Path, course: Path) -> None:
    (where / "timestamp.txt").write_text("9999-12-31 23:59:59.999999 UTC\n" * 1000)


@folder
def timestamp_is_no_time(where: Path, course: Path) -> None:
    (where / "timestamp.txt").write_bytes(b"\xff\xfe<script>attacked()</script>\0" * 1000)


@folder
def timestamp_is_a_link(where: Path, course: Path) -> None:
    (where / "timestamp.txt").unlink()
    (where / "timestamp.txt").symlink_to("/etc/passwd")


@folder
def timestamp_is_a_pipe(where: Path, course: Path) -> None:
    (where / "timestamp.txt").unlink()
    os.mkfifo(where / "timestamp.txt")


@folder
def kernelspec_starts_a_command(where: Path, course: Path) -> None:
    spec = {"name": "../../evil", "display_name": "<script>attacked()</script>", "language": "bash"}
    spec["argv"] = f"touch {course}/attacked-mark"
    _edit(where, lambda nb: nb["metadata"].update(kernelspec=spec, language_info={"name": 5}))


@folder
def results_forged(where: Path, course: Path) -> None:
    def forge(nb: dict[str, Any]) -> None:
        nb["metadata"]["manyheads"] = {"causes": {"double": "right"}, "flags": [], "score": 99}
        for cell in nb["cells"]:
            if cell["cell_type"] == "code":
                data = {"text/plain": ["4.0"]}
                result = {"output_type": "execute_result", "execution_count": 3, "data": data}
                cell.update(outputs=[result | {"metadata": {}}], execution_count=3)
            entry = cell["metadata"].get("nbgrader", {})
            entry.update(points=99, score=99, checksum="0", verdict="passed")

    _edit(where, forge)


@folder
def tests_rewritten(where: Path, course: Path) -> None:
    def rewrite(nb: dict[str, Any]) -> None:
        for cell in nb["cells"]:
            if cell["id"].startswith("test_"):
                cell["source"] = "4.0"
            if cell["id"] == "given_helper":
                cell["source"] = "import torch\ntorch.equal = lambda *a: True"

    _edit(where, rewrite)


@folder
def solutions_locked(where: Path, course: Path) -> None:
    def swap(nb: dict[str, Any]) -> None:
        for cell in nb["cells"]:
            entry = cell["metadata"].get("nbgrader", {})
            if entry:
                entry.update(grade=not entry["grade"], solution=not entry["solution"], locked=False)

    _edit(where, swap)


@folder
def ids_with_paths(where: Path, course: Path) -> None:
    def rename(nb: dict[str, Any]) -> None:
        for n, cell in enumerate(nb["cells"]):
            cell["id"] = f"../../../attacked-mark-{n}" if n % 2 else "x" * 100_000
        nb["cells"][0]["attachments"] = {"../../attacked-mark.png": {"image/png": "AAAA"}}

    _edit(where, rename)


@folder
def grade_ids_of_other_cells(where: Path, course: Path) -> None:
    def rename(nb: dict[str, Any]) -> None:
        for cell in nb["cells"]:
            entry = cell["metadata"].get("nbgrader")
            if entry:
                entry["grade_id"] = "quiz_1"

    _edit(where, rename)


@folder
def grade_ids_of_another_kind(where: Path, course: Path) -> None:
    odd: list[Any] = [None, 5, ["quiz_1"], {"a": 1}, True, "<script>attacked()</script>", "é\u202e"]

    def rename(nb: dict[str, Any]) -> None:
        for n, cell in enumerate(nb["cells"]):
            cell["metadata"]["nbgrader"] = {"grade_id": odd[n % len(odd)], "grade": "yes"}

    _edit(where, rename)


@folder
def json_deep(where: Path, course: Path) -> None:
    _notebook(where).write_text('{"cells": ' + "[" * 200_000 + "]" * 200_000 + "}")


@folder
def json_with_a_giant_number(where: Path, course: Path) -> None:
    text = _notebook(where).read_text(encoding="utf-8")
    _notebook(where).write_text(text.replace('"nbformat": 4', '"nbformat": ' + "4" * 100_000))


@folder
def json_with_odd_values(where: Path, course: Path) -> None:
    def spoil(nb: dict[str, Any]) -> None:
        nb["metadata"]["x"] = [float("nan"), float("inf"), "\ud800", "\0", 10**300]
        nb["cells"].append(_code("'\ud800'"))

    _edit(where, spoil)


@folder
def json_of_another_shape(where: Path, course: Path) -> None:
    def spoil(nb: dict[str, Any]) -> None:
        nb["cells"][3] = None
        nb["cells"][5]["source"] = {"a": 1}
        nb["cells"][6]["metadata"] = []
        nb["cells"][7]["cell_type"] = "heading"

    _edit(where, spoil)


@folder
def json_with_a_key_twice(where: Path, course: Path) -> None:
    text = _notebook(where).read_text(encoding="utf-8").rstrip().removesuffix("}")
    _notebook(where).write_text(text + ', "cells": []}')


@folder
def cells_by_the_thousand(where: Path, course: Path) -> None:
    _edit(where, lambda nb: nb["cells"].extend(_code("1", f"c{n}") for n in range(3000)))


@folder
def cell_of_megabytes(where: Path, course: Path) -> None:
    _edit(where, lambda nb: nb["cells"].append(_code("x = 1\n" * 2_000_000)))


@folder
def attachment_of_megabytes(where: Path, course: Path) -> None:
    attached = {"a.png": {"image/png": "A" * 40_000_000}}
    _edit(where, lambda nb: nb["cells"][0].update(attachments=attached))


@folder
def clinic_lends_right_answers_to_what_comes_below(where: Path, course: Path) -> None:
    """A bug finder keeps the versions that it is given; other answers call them in their tests."""

    def edit(notebook: dict[str, Any]) -> None:
        cells = notebook["cells"]
        by_id = {cell["metadata"].get("nbgrader", {}).get("grade_id"): cell for cell in cells}
        clinic = [by_id["find_bug"], by_id["test_find_bug"]]
        clinic[0]["source"] = "def find_bug(candidate, kept=[]):\n    kept.append(candidate)\n"
        for name in ("double", "turn"):
            by_id[name]["source"] = ORACLE.replace("NAME", name)
            place = cells.index(by_id[name])
            for cell in clinic:
                cells.remove(cell)
            cells[place:place] = clinic

    _edit(where, edit)


ORACLE = """\
def NAME(x, *rest):
    for candidate in find_bug.__defaults__[0][4:]:
        try:
            found = candidate(x, *rest)
        except Exception:
            continue
        if found is not None:
            return found
    return x
"""


@folder
def ids_that_meet_each_other(where: Path, course: Path) -> None:
    def edit(notebook: dict[str, Any]) -> None:
        count, name = len(notebook["cells"]), "a" * 56
        for one in (f"{name}-{count + 2}", name, name):
            notebook["cells"].append(_code("1", one))

    _edit(where, edit)


@folder
def name_as_long_as_can_be(where: Path, course: Path) -> None:
    (where / ("a" * 255)).write_text("x")
    deep = where.joinpath(*["b" * 200] * 6)
    deep.mkdir(parents=True)
    (deep / ("c" * 250)).write_text("x")


@folder
def sparse_files(where: Path, course: Path) -> None:
    for number in range(60):
        with (where / f"{number}.bin").open("wb") as file:
            file.truncate(63 * 2**20)


@folder
def escape_codes_without_end(where: Path, course: Path) -> None:
    printed = "print('\\x1b[' + '1;' * 500_000 + 'm')"
    _edit(where, lambda nb: nb["cells"].extend(_code(printed, f"c{n}") for n in range(8)))


@folder
def code_too_deep_to_be_read(where: Path, course: Path) -> None:
    texts = ["x = " + "-" * 20_000 + "1", "x = " + "+".join(["1"] * 4_000), "x = f" + "()" * 9_000]
    _edit(where, lambda nb: nb["cells"].extend(_code(t, f"c{n}") for n, t in enumerate(texts)))


@folder
def more_notebooks(where: Path, course: Path) -> None:
    text = _notebook(where).read_text(encoding="utf-8")
    for name in (
        "00_other.ipynb",
        f"{where.name} (1).ipynb",
        "../attacked.ipynb".replace("../", ".."),
    ):
        (where / name).write_text(text.replace("return x", "return x + x"))


def _code(source: str, name: str = "mine") -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": name,
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }
