"""The corpus itself: each attack is well formed and named once, and each kind is there."""

from __future__ import annotations

import ast
from collections import Counter

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from tests.classroom import grade_id
from tests.hostile import Attack, filled_in, hostile, lesson, load
from tests.hostile.folders import FOLDERS

ATTACKS = load()
KINDS = {
    "carrying": 30,
    "comparisons": 25,
    "network": 8,
    "notebook": 20,
    "pages": 5,
    "processes": 30,
    "reading": 15,
    "resources": 30,
    "wire": 20,
    "writing": 15,
}


def test_every_kind_has_its_spellings() -> None:
    found = Counter(attack.kind for attack in ATTACKS)
    assert set(found) == set(KINDS)
    assert {kind for kind in KINDS if found[kind] < KINDS[kind]} == set()


def test_no_two_attacks_share_a_name() -> None:
    names = [attack.student for attack in ATTACKS] + list(FOLDERS)
    assert [name for name, count in Counter(names).items() if count > 1] == []


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_attack_is_a_program(kind: str) -> None:
    shell = TransformerManager()
    words = {"PORT": 80, "NAME": "double"}
    for attack in (one for one in ATTACKS if one.kind == kind):
        notebook = hostile(attack, lesson.release_notebook(), lesson.EXERCISE, lesson.WRONG)
        for cell in filled_in(notebook, words).cells:
            if cell.cell_type == "code":
                ast.parse(shell.transform_cell(cell.source), attack.student)


def test_an_attack_stands_around_its_exercise() -> None:
    attack = Attack("k", "i", start="1", before="2", after="3", end="4")
    notebook = hostile(attack, lesson.release_notebook(), "double", lesson.WRONG)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    order = [grade_id(cell) or cell.source for cell in code]
    assert order[1] == "1"
    assert order[order.index("double") - 1] == "2"
    assert order[order.index("test_double_contract") + 1] == "3"
    assert order[-1] == "4"


def test_the_release_to_attack_holds_nothing_hidden() -> None:
    text = str(lesson.release_notebook())
    assert [word for word in (*lesson.HIDDEN, "CANARY-hidden") if word in text] == []
