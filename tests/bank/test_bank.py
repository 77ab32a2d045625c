"""Every wrong spelling fails and is told its own cause; every right one passes."""

from __future__ import annotations

from importlib import import_module

import pytest

from manyheads import check
from manyheads.check.mha.causes import CAUSES as MHA_CAUSES
from tests.bank import load

ENTRIES = load()
WRONG = [entry for entry in ENTRIES if not entry.right]
RIGHT = [entry for entry in ENTRIES if entry.right]
MODULES = {
    "split_heads": "split",
    "rotate_qk": "rotate",
    "merge_heads": "merge",
    "output_projection": "output",
    "multi_head_attention": "mha",
    "kv_head_of": "kv_map",
    "repeat_kv": "repeat",
    "grouped_query_attention": "gqa",
    "project_qkv": "project",
    "split_fused_qkv": "fused",
}
SHARED = {cause.id for cause in MHA_CAUSES}  # spelled in multi_head_attention's bank


def _id(entry):
    return f"{entry.exercise}-{entry.id}"


@pytest.mark.slow  # all of them together; `manyheads bank` grades them too
@pytest.mark.filterwarnings("default:.*:UserWarning")  # an answer may warn
@pytest.mark.parametrize("entry", WRONG, ids=_id)
def test_a_wrong_spelling_is_told_its_own_cause(entry):
    result = getattr(check, entry.exercise)(entry.function())
    assert result.passed is False
    assert result.cause == entry.cause


@pytest.mark.slow  # all of them together; `manyheads bank` grades them too
@pytest.mark.filterwarnings("default:.*:UserWarning")  # an answer may warn
@pytest.mark.parametrize("entry", RIGHT, ids=_id)
def test_a_right_spelling_passes(entry):
    result = getattr(check, entry.exercise)(entry.function())
    assert result.passed is True, result.text


@pytest.mark.parametrize("exercise", MODULES)
def test_at_least_95_percent_of_the_wrong_ones_are_named(exercise):
    wrong = [entry for entry in WRONG if entry.exercise == exercise]
    assert sum(entry.cause is not None for entry in wrong) >= 0.95 * len(wrong)


def test_an_unnamed_spelling_says_why():
    assert all(entry.reason for entry in WRONG if entry.cause is None)


@pytest.mark.parametrize(
    ("exercise", "wrong", "right"),
    [
        ("split_heads", 45, 20),
        ("rotate_qk", 30, 15),
        ("merge_heads", 100, 20),
        ("output_projection", 70, 18),
        ("multi_head_attention", 150, 25),
        ("clinic_merge", 20, 6),
        ("clinic_view", 20, 4),
        ("kv_head_of", 60, 13),
        ("repeat_kv", 70, 20),
        ("grouped_query_attention", 110, 20),
        ("clinic_repeat", 25, 7),
        ("project_qkv", 150, 30),
        ("split_fused_qkv", 100, 20),
        ("clinic_transpose", 15, 4),
    ],
)
def test_the_bank_is_broad(exercise, wrong, right):
    entries = load(exercise)
    assert sum(not entry.right for entry in entries) >= wrong
    assert sum(entry.right for entry in entries) >= right


def test_ids_are_unique():
    assert len({_id(entry) + str(entry.right) for entry in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("exercise", MODULES)
def test_every_cause_with_variants_has_a_spelling(exercise):
    causes = import_module(f"manyheads.check.{MODULES[exercise]}").EXERCISE.causes
    told = {entry.cause for entry in WRONG if entry.exercise == exercise}
    told |= SHARED if exercise == "grouped_query_attention" else set()
    missing = {cause.id for cause in causes if not cause.id.startswith("axes-")} - told
    assert not missing
