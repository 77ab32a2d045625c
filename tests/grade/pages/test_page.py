"""What a feedback page shows, and what no page may show."""

from __future__ import annotations

import json
import time
from typing import Any

import nbformat
import pytest
from bs4 import BeautifulSoup

from manyheads.errors import LeakError
from manyheads.grade.pages import write_page
from manyheads.grade.secrets import Secrets
from tests.classroom import find, index
from tests.grade.mini import CANARY, code, text
from tests.grade.pages.graded import CAUSE, NAMES, graded_notebook, grades, plain, secrets_of

SPLIT = ["test_split_heads_shape", "test_split_heads_values", "test_split_heads_contract"]
PICTURE = '<img src="data:image/png;base64,AAAA" alt="5 tokens" width="691">'


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Secrets:
    return secrets_of(tmp_path_factory.mktemp("source"))


def page_of(secrets: Secrets, notebook: Any = None, **known: Any) -> BeautifulSoup:
    """The page of a notebook, parsed; `known` goes to `grades`."""
    lost = known.pop("lost", ())
    graded = graded_notebook() if notebook is None else notebook
    return BeautifulSoup(
        write_page(plain(graded), grades(*lost, **known), secrets, NAMES), "html.parser"
    )


def words(page: Any, where: str) -> str:
    """The words of the first element that a selector finds, blanks evened out."""
    return " ".join(page.select_one(where).get_text().split())


def rows(page: BeautifulSoup) -> dict[str, list[str]]:
    """The table at the top: points and words by exercise."""
    found = [[cell.get_text() for cell in row.select("td")] for row in page.select("tbody tr")]
    return {name: rest for name, *rest in found}


def with_output(**data: Any) -> Any:
    notebook = graded_notebook()
    shown = {"output_type": "display_data", "metadata": {}, "data": data["data"]}
    notebook.cells[-1]["outputs"] = [shown]
    return notebook


def test_the_head_says_points_and_what_is_not_graded_yet(secrets: Secrets) -> None:
    page = page_of(secrets, lost=["test_quiz_1"])
    assert words(page, "h1") == "02_mini"
    assert words(page, ".total") == "12 of 17 points; 4 of them are not graded yet."


def test_a_late_penalty_is_told_and_taken_off(secrets: Secrets) -> None:
    page = page_of(secrets, late=2)
    assert "11 of 17 points" in words(page, ".total")
    assert "2 were taken off because it came late" in words(page, ".total")


def test_the_table_has_one_row_an_exercise_with_its_points(secrets: Secrets) -> None:
    assert rows(page_of(secrets, lost=["test_split_heads_values"])) == {
        "split_heads": ["3 of 6", ""],
        "rotate_qk": ["2 of 2", ""],
        "share": ["4 of 4", ""],
        "quiz_1": ["1 of 1", ""],
        "explain_1": ["not graded yet, 4", ""],
    }


def test_each_row_leads_to_its_cell(secrets: Secrets) -> None:
    page = page_of(secrets)
    for link in page.select("tbody a"):
        assert page.select_one(f"section[id='{link['href'].removeprefix('#')}']")


def test_a_cause_stands_beside_the_first_score_line_of_its_exercise(secrets: Secrets) -> None:
    notebook = graded_notebook(causes={"split_heads": CAUSE})
    page = page_of(secrets, notebook, lost=SPLIT)
    shown = [words(page, f"section[id={name}] .outputs") for name in SPLIT]
    assert shown == [
        "0 of 1 point: the tests of split_heads failed. split_heads the shape is right; the owners "
        "are not A view never moves data. Probe: count.",
        "0 of 3 points: the tests of split_heads failed, see above.",
        "0 of 2 points: the tests of split_heads failed, see above.",
    ]
    assert rows(page)["split_heads"] == ["0 of 6", "the shape is right; the owners are not"]


def test_a_cause_of_an_exercise_with_all_points_is_not_told(secrets: Secrets) -> None:
    page = page_of(secrets, graded_notebook(causes={"split_heads": CAUSE}))
    assert "owners" not in page.get_text()


def test_a_cause_keeps_its_lines(secrets: Secrets) -> None:
    page = page_of(secrets, graded_notebook(causes={"split_heads": CAUSE}), lost=SPLIT)
    assert CAUSE in page.select_one(f"section[id={SPLIT[0]}] pre.stdout").get_text()


def test_a_cause_that_shows_a_hidden_line_is_dropped(secrets: Secrets) -> None:
    leak = "split_heads   canary_heads = split_heads(canary_input, 2)"
    page = page_of(secrets, graded_notebook(causes={"split_heads": leak}), lost=SPLIT)
    assert "canary" not in str(page).lower()
    assert "Run check.split_heads(split_heads) to see why." in page.get_text()


def test_an_unsandboxed_result_is_marked(secrets: Secrets) -> None:
    page = page_of(secrets, graded_notebook(sandboxed=False))
    assert "graded without a sandbox" in words(page, ".notes")
    assert page_of(secrets).select_one(".notes") is None


@pytest.mark.parametrize(
    ("flag", "told"),
    [
        ("split_heads was there 2 times: one counts", "split_heads stood more than once"),
        ("test_quiz_1 was missing: put back", "test_quiz_1 was missing in your notebook"),
        ("test_f stood above its answer: moved", "was moved below it"),
        (
            "02_mini (1).ipynb was taken for 02_mini.ipynb",
            "Your file was called 02_mini (1).ipynb;",
        ),
        ("other notebooks lie there, not graded: a.ipynb", "were not graded: a.ipynb."),
        ("rebuilt: 12 cells had lost the nbgrader metadata (a, ...)", "the marks of 12 of your"),
        ("<b>.ipynb was taken for x.ipynb", "Your file was called <b>.ipynb;"),
    ],
)
def test_flags_that_concern_a_student_are_told_in_kind_words(
    secrets: Secrets, flag: str, told: str
) -> None:
    assert told in words(page_of(secrets, graded_notebook(flags=[flag])), ".notes")


@pytest.mark.parametrize("flag", ["timestamp.txt says 'x', which is no date and time", "odd: 5"])
def test_other_flags_are_for_the_instructor_alone(secrets: Secrets, flag: str) -> None:
    assert page_of(secrets, graded_notebook(flags=[flag])).select_one(".notes") is None


def test_an_answer_not_graded_yet_is_not_shown_as_nothing(secrets: Secrets) -> None:
    head = words(page_of(secrets), "section[id=explain_1] .heading")
    assert head == "explain_1 not graded yet, 4 points to the top"


def test_a_comment_stands_below_its_answer(secrets: Secrets) -> None:
    page = page_of(secrets, comments={"split_heads": "Well *done*."})
    assert words(page, "section[id=split_heads] .comment") == "Comment Well done."


def test_a_picture_and_a_table_survive(secrets: Secrets) -> None:
    table = '<table class="dataframe"><tbody><tr><td>1</td></tr></tbody></table>'
    page = page_of(secrets, with_output(data={"text/html": PICTURE + table}))
    picture = page.select_one(".outputs img")
    assert (picture["src"], picture["alt"]) == ("data:image/png;base64,AAAA", "5 tokens")
    assert words(page, ".outputs table.dataframe") == "1"


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        ({"text/plain": "(2, 3)\n<b>"}, "(2, 3)\n<b>"),
        ({"text/latex": "$a<b$"}, "$a<b$"),
        ({"text/markdown": "**bold**"}, "bold"),
        ({"application/javascript": "alert(1)"}, "(application/javascript left out)"),
    ],
)
def test_every_kind_of_output_is_shown_as_text(
    secrets: Secrets, data: dict[str, str], seen: str
) -> None:
    page = page_of(secrets, with_output(data=data))
    assert seen in page.select(".outputs")[-1].get_text()


@pytest.mark.parametrize("kind", ["image/png", "image/jpeg", "image/svg+xml"])
def test_a_picture_has_its_alt_text_and_no_byte_of_its_own(secrets: Secrets, kind: str) -> None:
    data = {kind: "<svg><path/></svg>" if "svg" in kind else "AAAA", "text/plain": 'a "bar"'}
    picture = page_of(secrets, with_output(data=data)).select(".outputs img")[-1]
    assert picture["src"].startswith(f"data:{kind};base64,")
    assert picture["alt"] == 'a "bar"'


def test_a_page_is_confined_by_a_policy_and_loads_nothing(secrets: Secrets) -> None:
    page = page_of(secrets)
    policy = page.select_one("meta[http-equiv=Content-Security-Policy]")["content"]
    assert policy.startswith("default-src 'none'; img-src data:;")
    assert "script" not in policy
    assert page.select("script, link, iframe, form") == []


def test_a_page_with_mathematics_loads_what_typesets_it(secrets: Secrets) -> None:
    notebook = graded_notebook()
    notebook.cells.append(text("$x^2$"))
    assert len(page_of(secrets, notebook).select("script")) == 2


def test_active_content_of_a_student_is_shown_as_text_or_not_at_all(secrets: Secrets) -> None:
    notebook = with_output(data={"text/html": "<script>alert(1)</script><b>seen</b>"})
    notebook.cells.append(text("<img src=x onerror=alert(2)> My answer"))
    page = page_of(secrets, notebook)
    assert page.select("script, [onerror]") == []
    assert "seen" in page.get_text()
    assert "<img src=x onerror=alert(2)> My answer" in page.get_text()


def test_no_byte_of_anything_hidden_is_on_a_page(secrets: Secrets) -> None:
    notebook = graded_notebook()
    error = {"output_type": "error", "ename": "AssertionError", "evalue": "CANARY-message: x"}
    for name in SPLIT:
        find(notebook, name)["outputs"] = [error | {"traceback": ["CANARY-message: x"]}]
    page = str(page_of(secrets, notebook, lost=SPLIT))
    assert CANARY not in page
    assert "canary" not in page


def test_a_comment_that_quotes_a_hidden_line_stops_the_page(secrets: Secrets) -> None:
    quoted = "See canary_heads = split_heads(canary_input, 2)"
    with pytest.raises(LeakError, match="The feedback page was not written"):
        page_of(secrets, comments={"split_heads": quoted})


def test_names_and_ids_are_escaped(secrets: Secrets) -> None:
    notebook = graded_notebook()
    cell = find(notebook, "quiz_1")
    cell.metadata["nbgrader"]["grade_id"] = '"><script>alert(1)</script>'
    names = {**NAMES, "student": "<script>", "notebook": "a & b's [1] 头"}
    page = write_page(plain(notebook), grades(), secrets, names)
    assert "<script" not in page
    assert "a &amp; b&#39;s [1] 头" in page


def test_the_graded_notebook_is_left_alone(secrets: Secrets) -> None:
    notebook = plain(graded_notebook(causes={"split_heads": CAUSE}))
    before = json.dumps(notebook)
    write_page(notebook, grades(*SPLIT), secrets, NAMES)
    assert json.dumps(notebook) == before


def test_texts_may_be_written_as_lines_as_nbgrader_writes_them(secrets: Secrets) -> None:
    notebook = with_output(data={"text/plain": "a\nb"})
    lines = json.loads(nbformat.writes(nbformat.from_dict(plain(notebook))))
    assert isinstance(lines["cells"][0]["source"], list)
    assert write_page(lines, grades(), secrets, NAMES) == write_page(
        plain(notebook), grades(), secrets, NAMES
    )


def test_a_page_takes_few_milliseconds(secrets: Secrets) -> None:
    notebook = plain(graded_notebook(causes={"split_heads": CAUSE}))
    write_page(notebook, grades(), secrets, NAMES)
    start = time.process_time()
    for _ in range(10):
        write_page(notebook, grades(), secrets, NAMES)
    assert (time.process_time() - start) / 10 < 0.06


def test_a_page_is_the_same_every_time(secrets: Secrets) -> None:
    notebook = plain(graded_notebook(causes={"split_heads": CAUSE}))
    assert write_page(notebook, grades(), secrets, NAMES) == write_page(
        notebook, grades(), secrets, NAMES
    )


def test_students_code_is_highlighted_and_escaped(secrets: Secrets) -> None:
    notebook = graded_notebook()
    notebook.cells.insert(index(notebook, "quiz_1"), code("a = '<script>'  # \"&\""))
    page = page_of(secrets, notebook)
    assert any("a = '<script>'" in cell.get_text() for cell in page.select(".code"))
    assert page.select("script") == []
