"""A mistake is recognised by an error only where words and results are the same everywhere."""

from __future__ import annotations

import pytest
import torch

from manyheads.check.diagnose import attempt
from manyheads.check.errors_alike import same_error
from manyheads.check.output import EXERCISE


def cause_of(fn):
    cause = same_error(EXERCISE, [attempt(EXERCISE, fn, case) for case in EXERCISE.cases])
    return cause and cause.id


def raises(error):
    def fn(merged, Wo):
        raise error

    return fn


def test_the_same_words_on_every_case_name_the_mistake():
    assert cause_of(lambda merged, Wo: Wo @ merged) == "wrong-side"


def test_results_beside_the_errors_have_to_be_the_same_too():
    transposed = lambda merged, Wo: torch.nn.functional.linear(merged, Wo)  # noqa: E731
    assert cause_of(transposed) == "transposed-wo"
    assert cause_of(lambda merged, Wo: transposed(merged, Wo) + 1) is None


@pytest.mark.parametrize(
    "fn",
    [
        lambda merged, Wo: merged @ Wo,
        raises(ValueError("sizes")),
        raises(RuntimeError("words of their own")),
    ],
    ids=["no error", "another kind", "other words"],
)
def test_otherwise_nothing_is_named(fn):
    assert cause_of(fn) is None
