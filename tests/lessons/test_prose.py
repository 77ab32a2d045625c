"""A lesson's prose stays short, its cells small, and its parts complete."""

import re
from statistics import median

import pytest

LONG = {"05_concat_and_wo", "06_gqa_merge"}  # these two need more words
CHOICE = re.compile(r"- `[a-d]` ")
PARTS = [
    "The win:",
    "## Recall",
    "## Predict",
    "You may believe",
    "The rule:",
    "## A worked example",
    "## Code checkpoint",
    "Trace it.",
    "## Build: ",
    "Which input would hide this bug?",
    "## Engineering bridge",
    "## Bug clinic",
    "## Retrieval check",
    "## Practice studio",
    "## Key takeaways",
    "## Sources",
    "## What comes next",
]
EMOJI = re.compile("[\U0001f300-\U0001faff☀-➿]")


def prose(release) -> list[str]:
    """Markdown cells without choices and sources; rubrics are not in a release."""
    cells = [c.source for c in release.cells if c.cell_type == "markdown"]
    kept = [
        "\n".join(line for line in cell.splitlines() if not CHOICE.match(line))
        for cell in cells
        if not cell.startswith("## Sources")
    ]
    return [cell for cell in kept if cell.strip()]


def words(text: str) -> int:
    text = re.sub(r"\]\([^)]*\)", "]", text)  # a link's target is not read
    return len(re.findall(r"[^\W_]+(?:['’*.%-][^\W_]+)*", text))


def test_a_lesson_takes_700_to_900_words(lesson, release):
    total = sum(words(cell) for cell in prose(release))
    assert 700 <= total <= (1000 if lesson in LONG else 900)


def test_the_median_markdown_cell_has_under_30_words(release):
    assert median(words(cell) for cell in prose(release)) < 30


def test_code_cells_have_under_15_lines(release):
    for cell in release.cells:
        if cell.cell_type == "code":
            source = re.sub(r'"""(.|\n)*?"""', "", cell.source)  # a stub's contract
            assert source.count("\n") + 1 < 15, cell.source


def test_code_lines_fit_the_notebook(release):
    lines = [line for c in release.cells if c.cell_type == "code" for line in c.source.splitlines()]
    assert [line for line in lines if len(line) > 100] == []


@pytest.mark.parametrize("part", PARTS)
def test_a_lesson_has_every_part(release, part):
    assert any(part in cell.source for cell in release.cells), f"no cell holds {part!r}"


def test_the_parts_come_in_the_agreed_order(release):
    text = "\n".join(cell.source for cell in release.cells)
    places = [text.index(part) for part in PARTS if part != "Which input would hide this bug?"]
    assert places == sorted(places)


def test_no_emoji(release):
    assert not any(EMOJI.search(cell.source) for cell in release.cells)


def test_a_manual_question_has_a_rubric_and_sample_answers_for_three_bands(source):
    tasks = [c.source for c in source.cells if c.metadata.get("nbgrader", {}).get("task")]
    assert tasks
    for task in tasks:
        scheme = task.split("### BEGIN MARK SCHEME")[1]
        assert "Rubric" in scheme
        for band in ("**Full", "**Middle", "**Low"):
            assert scheme.count(band) == 2, band
