"""The course's look: one file for figures and explorers, colours that can be told apart."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from manyheads.show import look

PACKAGE = Path(look.__file__).parents[1]


def luminance(colour):
    def linear(part):
        value = int(part, 16) / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(colour[i : i + 2]) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_every_head_has_a_colour_and_a_hatch_of_its_own():
    assert len(set(look.HEADS)) == len(set(look.HATCHES)) == len(look.HEADS)


@pytest.mark.parametrize("colour", look.FILLS)
def test_black_text_reads_well_on_every_fill(colour):
    assert (luminance(colour) + 0.05) / 0.05 > 7


def test_type_gets_smaller_from_title_to_cell():
    assert look.TITLE > look.LABEL > look.CELL >= 8


@pytest.mark.parametrize("path", sorted(PACKAGE.glob("show/*.py")), ids=lambda path: path.name)
def test_no_figure_has_colours_or_sizes_of_its_own(path):
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"fontsize=\d", text) == []
    named = set(re.findall(r"#[0-9A-Fa-f]{6}\b", text))
    assert named <= {"#ffffff", "#333333", "#666666", "#000000"}, "only greys besides look.json"
