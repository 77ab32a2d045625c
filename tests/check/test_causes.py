"""The causes: none is right, no two produce the same, and none gives the answer away."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from importlib import import_module

import pytest

from manyheads.check import diagnose, kinds, raised, views
from manyheads.check.engine import call
from manyheads.check.exercise import Cause
from manyheads.check.fused import refusals as widths_refused
from manyheads.check.rotate import results
from manyheads.check.split import clinic, late, refusals
from manyheads.check.threads import one_thread

pytestmark = pytest.mark.slow  # too much of it for the half-minute loop

EXERCISES = [
    import_module(f"manyheads.check.{name}").EXERCISE
    for name in (
        *("split", "rotate", "merge", "output", "mha", "project", "fused"),
        *("kv_map", "repeat", "gqa"),
    )
]
IDIOM = re.compile(
    r"\.(view|reshape|transpose|permute|swapaxes|unflatten|movedim|chunk|stack)\(|rearrange|"
    r"\(1, 2\)|rope\(q\), rope\(k\), v\b|return rope"
)


def _fingerprint(outcome):
    if outcome.parts:
        return tuple(map(_fingerprint, outcome.parts))
    if isinstance(outcome.error, RuntimeError):
        return str(outcome.error)
    if outcome.array is None:
        return outcome.kind
    return outcome.array.shape, outcome.typename, outcome.array.tobytes()


@cache
def _produced(exercise):
    with one_thread():
        return _produced_by(exercise)


def _produced_by(exercise):
    found = defaultdict(set)
    for cause in exercise.causes:
        for variant in cause.variants:
            outcomes = [call(variant, case.make()) for case in exercise.cases]
            made = tuple(map(_fingerprint, outcomes))
            if set(made) != {"error"}:  # an error everywhere tells nothing: no cause is named by it
                found[made].add(cause.id)
    return found


def _sentences():
    for module in (diagnose, results, late, views, widths_refused):
        yield from (c for c in vars(module).values() if isinstance(c, Cause))
    for exercise in EXERCISES:
        yield from exercise.causes
    yield from (*refusals.CAUSES, *widths_refused.CAUSES)


def _told():
    for cause in _sentences():
        yield from (cause.says, cause.probe, cause.exposed_by)
    for row in kinds.KINDS.values():
        yield from row[1:]
    for _, _, meaning, probe in raised.BY_MESSAGE:
        yield from (meaning, probe)
    for pair in (*raised.BY_TYPE.values(), *clinic.FAULTY.values()):
        yield from pair


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_no_two_causes_produce_the_same(exercise):
    assert [ids for ids in _produced(exercise).values() if len(ids) > 1] == []


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_no_cause_produces_the_right_answer(exercise):
    outcomes = [call(exercise.target, case.make()) for case in exercise.cases]
    assert tuple(map(_fingerprint, outcomes)) not in _produced(exercise)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)
def test_ids_are_unique(exercise):
    ids = [cause.id for cause in exercise.causes]
    assert len(ids) == len(set(ids))


def test_the_gate_for_idioms_can_say_no():
    assert IDIOM.search("write x.view(B, T, H, Dh).transpose(1, 2)")
    assert IDIOM.search("return rope(q), rope(k), v")


def test_no_sentence_gives_the_answer():
    told = list(_told())
    assert len(told) > 150
    assert [sentence for sentence in told if IDIOM.search(sentence)] == []


@pytest.mark.parametrize("cause", list(_sentences()), ids=lambda cause: cause.id)
def test_a_cause_says_a_sentence_and_asks_one_thing(cause):
    assert cause.says.endswith((".", ".)", "?"))
    assert cause.probe.endswith((".", "?"))
