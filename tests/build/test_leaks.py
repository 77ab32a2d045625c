from __future__ import annotations

import copy
import json
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manyheads.build.leaks import HiddenText, carried
from manyheads.build.regions import released_cell
from manyheads.build.text import Cell
from manyheads.errors import LeakError


def cell(name: str, source: str, kind: str = "code", **flags: bool) -> dict[str, Any]:
    metadata = {"nbgrader": {"grade_id": name, **flags}} if flags else {}
    return {"id": name, "cell_type": kind, "metadata": metadata, "source": source}


def notebook(*cells: dict[str, Any]) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": {"manyheads": {"release": "0123456789ab"}}}


def region(kind: str, *lines: str) -> str:
    return "\n".join([f"### BEGIN {kind}", *lines, f"### END {kind}"])


SOURCE = notebook(
    cell("prose", "A visible sentence with **marks**.\nreturn visible_value", "markdown"),
    cell("double", f"def double(x):\n{region('SOLUTION', '    secret = x + x')}", solution=True),
    cell("whole", "def whole(x):\n    return x * 77", solution=True),
    cell(
        "test_double", f"double(1)\n{region('HIDDEN TESTS', 'assert double(3) == 6')}", grade=True
    ),
    cell(
        "explain_1",
        f"Why?\n{region('MARK SCHEME', '- two for *the factor*')}",
        "markdown",
        task=True,
    ),
)
HIDDEN = ["secret = x + x", "def whole(x):", "return x * 77", "assert double(3) == 6"]
HIDDEN += ["- two for *the factor*"]


def release_of(source: dict[str, Any]) -> dict[str, Any]:
    """The release by this package's own reading of the regions; nbgrader's is tested elsewhere."""
    release = copy.deepcopy(source)
    for each in release["cells"]:
        node = type("Node", (), {"metadata": each["metadata"], "source": each["source"]})
        each["source"] = released_cell(Cell(node, 1, 1))
    return release


def test_the_lines_of_all_regions_and_of_whole_solutions_are_hidden() -> None:
    assert [line.text for line in HiddenText.of(SOURCE).lines] == HIDDEN


def test_the_release_of_the_example_is_clean() -> None:
    HiddenText.of(SOURCE).verify(release_of(SOURCE), "01_double")


def test_a_hidden_line_knows_its_cell_line_and_kind() -> None:
    places = [line.place for line in HiddenText.of(SOURCE).lines]
    assert places[0] == "line 3 of cell double (solution)"
    assert places[3] == "line 3 of cell test_double (hidden tests)"
    assert places[4] == "line 3 of cell explain_1 (mark scheme)"


@pytest.mark.parametrize(
    "line", ["return visible_value", "    return   visible_value", "A visible sentence"]
)
def test_a_line_that_is_visible_in_source_may_be_shown(line: str) -> None:
    source = notebook(*SOURCE["cells"], cell("more", region("SOLUTION", line), solution=True))
    HiddenText.of(source).verify(release_of(source), "01_double")
    assert len(HiddenText.of(source).lines) == len(HIDDEN)


def test_a_line_without_letters_or_digits_is_no_secret() -> None:
    source = notebook(*SOURCE["cells"], cell("more", region("SOLUTION", "{}"), solution=True))
    release = release_of(source)
    release["cells"][0]["source"] += "\n{}"
    HiddenText.of(source).verify(release, "01_double")


def put(**fields: Any) -> Callable[[dict[str, Any]], None]:
    """Sets fields of a release's first cell."""
    return lambda release: release["cells"][0].update(fields)


def add(text: str) -> Callable[[dict[str, Any]], None]:
    """Adds a text to the source of a release's first cell."""
    return lambda release: put(source=release["cells"][0]["source"] + text)(release)


PLANTED: dict[str, Callable[[str], Callable[[dict[str, Any]], None]]] = {
    "appended to a visible line": add,
    "on a line of its own": lambda line: add(f"\n{line}\n"),
    "spaced out": lambda line: add("\n" + line.replace(" ", "  \t")),
    "over two lines": lambda line: add("\n" + line.replace(" ", "\n", 1)),
    "cell metadata": lambda line: put(metadata={"tags": ["a", f"x {line}"]}),
    "cell metadata key": lambda line: put(metadata={line: 1}),
    "output": lambda line: put(outputs=[{"text": [line[:3], f"{line[3:]}\n"]}]),
    "attachment": lambda line: put(attachments={"a.txt": {"text/plain": line}}),
    "cell id": lambda line: put(id=line),
    "notebook metadata": lambda line: lambda release: release["metadata"].update(title=line),
}


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
@pytest.mark.parametrize("line", HIDDEN)
def test_a_planted_hidden_line_is_refused(plant: Any, line: str) -> None:
    release = release_of(SOURCE)
    plant(line)(release)
    with pytest.raises(LeakError, match=r"The release of 01_double would show .* hidden"):
        HiddenText.of(SOURCE).verify(release, "01_double")


@pytest.mark.parametrize("marker", ["### BEGIN SOLUTION", "END HIDDEN TESTS", "### BEGIN HIDDEN"])
def test_a_marker_left_in_the_release_is_refused(marker: str) -> None:
    release = release_of(SOURCE)
    release["cells"][0]["source"] += f"\n{marker}\n"
    with pytest.raises(LeakError, match="cell prose holds a region marker"):
        HiddenText.of(SOURCE).verify(release, "01_double")


def test_a_leak_is_named_by_its_places_but_never_printed() -> None:
    release = release_of(SOURCE)
    release["cells"][0]["source"] += "\nassert double(3) == 6"
    with pytest.raises(LeakError) as raised:
        HiddenText.of(SOURCE).verify(release, "01_double")
    assert "line 3 of cell test_double (hidden tests) is shown in cell prose" in str(raised.value)
    assert "assert double" not in str(raised.value)


def test_a_leak_outside_the_cells_is_placed_in_the_metadata() -> None:
    release = release_of(SOURCE)
    release["metadata"]["title"] = "secret = x + x"
    with pytest.raises(LeakError, match="is shown in the notebook's metadata"):
        HiddenText.of(SOURCE).verify(release, "01_double")


words = st.text(string.ascii_letters + string.digits + " .,=()äß", min_size=1, max_size=30)
telling = words.filter(lambda line: any(c.isalnum() for c in line))


def source_with(canaries: list[str], visible: str) -> dict[str, Any]:
    hidden = [f"CANARY {line}" for line in canaries]
    return notebook(
        cell("prose", f"Text {visible}", "markdown"),
        cell("f", f"def f():\n{region('SOLUTION', *hidden)}\n    {visible}", solution=True),
        cell("test_f", f"f()\n{region('HIDDEN TESTS', *hidden[1:])}", grade=True),
        cell("explain_1", region("MARK SCHEME", *hidden[:1]), "markdown", task=True),
    )


@given(st.lists(telling, min_size=1, max_size=4), words)
def test_no_canary_reaches_a_release_and_none_is_overlooked(
    canaries: list[str], visible: str
) -> None:
    source = source_with(canaries, visible)
    release = release_of(source)
    HiddenText.of(source).verify(release, "01_any")
    assert "CANARY" not in json.dumps(release)
    assert {line.text for line in HiddenText.of(source).lines} == {
        " ".join(f"CANARY {line}".split()) for line in canaries
    }


@given(
    st.lists(telling, min_size=1, max_size=3),
    words,
    st.sampled_from(sorted(PLANTED)),
    st.integers(0, 2),
)
def test_a_canary_planted_anywhere_is_refused(
    canaries: list[str], visible: str, where: str, which: int
) -> None:
    source = source_with(canaries, visible)
    source["cells"][0]["source"] += " in a sentence"
    release = release_of(source)
    PLANTED[where](f"CANARY {canaries[which % len(canaries)]}")(release)
    with pytest.raises(LeakError):
        HiddenText.of(source).verify(release, "01_any")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("nothing of it", []),
        ("def whole(x): pass  # and secret =  x\n + x", ["secret = x + x", "def whole(x):"]),
        ("return x * 77", []),
        ("if double(3) == 6:\n    assert double(3) == 6", ["assert double(3) == 6"]),
    ],
)
def test_lines_that_carry_little_are_left_out_of_other_texts(text: str, found: list[str]) -> None:
    assert HiddenText.of(SOURCE).found_in(text) == found


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("try:", 0),
        ("return None", 0),
        ("except Exception:", 0),
        ("x[0] = 1", 3),
        ('"b"', 1),
        ("merge_heads(x)", 12),
    ],
)
def test_a_lines_weight_is_its_letters_and_digits_without_keywords(line: str, count: int) -> None:
    assert carried(line) == count


@pytest.mark.parametrize(
    ("page", "found"),
    [
        ("<li>two for <em>the factor</em></li>", ["- two for *the factor*"]),
        ("<span>secret</span> <span>=</span> x + x", ["secret = x + x"]),
        ("<pre>assert double(<b>3</b>)\n == 6</pre>", ["assert double(3) == 6"]),
        ('<a title="secret = x + x">a</a>', ["secret = x + x"]),
        ("<!-- secret = x + x -->", ["secret = x + x"]),
        ("<p>secret &#61; x&nbsp;+ x</p>", ["secret = x + x"]),
        ("<p>A visible sentence with <b>marks</b>.</p>", []),
    ],
)
def test_a_page_is_read_as_its_reader_sees_it(page: str, found: list[str]) -> None:
    assert HiddenText.of(SOURCE).found_in_page(page) == found


def test_a_students_own_answer_may_be_shown_to_them() -> None:
    hidden = HiddenText.of(SOURCE).allowing("def double(x):\n    secret = x + x\n")
    assert hidden.found_in("secret = x + x; assert double(3) == 6") == ["assert double(3) == 6"]


def test_a_notebook_read_as_plain_json_hides_the_same() -> None:
    plain = copy.deepcopy(SOURCE)
    for each in plain["cells"]:
        each["source"] = each["source"].splitlines(keepends=True)
    assert HiddenText.of(plain) == HiddenText.of(SOURCE)


@pytest.mark.parametrize(
    ("name", "content", "count"),
    [
        ("a.py", "x = 1\nsecret = x + x\n", 1),
        ("a.html", "<b>two</b> for the factor", 1),
        ("a.ipynb", json.dumps(notebook(cell("a", 'secret = x + x\n"'))), 1),
        ("a.ipynb", json.dumps(release_of(SOURCE)), 0),
        ("a.md", "nothing", 0),
    ],
)
def test_files_are_read_by_their_kind(tmp_path: Path, name: str, content: str, count: int) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    assert len(HiddenText.of(SOURCE).found_in_file(tmp_path / name)) == count
