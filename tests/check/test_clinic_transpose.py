"""The clinic of the projections counts what `find_bug` catches, misses and accuses."""

from __future__ import annotations

import pytest
import torch

from manyheads import check
from manyheads.check.project.clinic import FAULTY, RIGHT


def faulty_on(candidate, x, W):
    try:
        views = candidate(x, *W)
        return any(not torch.allclose(z, x @ w) for z, w in zip(views, W, strict=True))
    except Exception:
        return True


X = torch.arange(24.0).view(2, 3, 4) % 7 - 3
MATRICES = [torch.arange(16.0).view(4, 4) % n - 2 for n in (5, 6, 9)]


def thorough(candidate):
    return faulty_on(candidate, X, MATRICES)


def test_a_thorough_finder_passes():
    result = check.clinic_transpose(thorough)
    assert result.passed is True
    assert "8 of 8 faulty versions caught, 0 right ones accused" in result.text


@pytest.mark.parametrize("patient", FAULTY, ids=lambda patient: patient.symptom)
def test_every_faulty_version_has_the_right_shapes_and_is_caught_by_one_input(patient):
    views = patient.version(X, *MATRICES)
    assert [tuple(z.shape) for z in views] == [(2, 3, 4)] * 3
    assert thorough(patient.version)


@pytest.mark.parametrize("patient", RIGHT, ids=lambda patient: patient.symptom)
def test_no_right_version_is_faulty(patient):
    assert not thorough(patient.version)


@pytest.mark.parametrize(
    ("finder", "cause", "words"),
    [
        (lambda c: True, "accuses-a-right-one", "It accuses every one of the right versions"),
        (lambda c: False, "misses-a-bug", "multiplies by every matrix transposed"),
        (lambda c: faulty_on(c, X[:1], MATRICES), "misses-a-bug", "an x whose samples differ"),
        (lambda c: faulty_on(c, X[:, :1], MATRICES), "misses-a-bug", "with T > 1"),
        (lambda c: faulty_on(c, X, [w + w.T for w in MATRICES]), "misses-a-bug", "not symmetric"),
        (lambda c: thorough(c) or type(c(X, *MATRICES)) is list, "accuses-a-right-one", "a list"),
        (lambda c: None, "no-answer", "neither True nor False"),
        (lambda c: "yes", "no-answer", "neither True nor False"),
        (lambda c: c(X), "no-answer", "find_bug itself stopped with an error"),
    ],
)
def test_what_went_wrong_is_told(finder, cause, words):
    result = check.clinic_transpose(finder)
    assert result.passed is False
    assert result.cause == cause
    assert words in " ".join(result.text.split())


@pytest.mark.parametrize("verdict", [torch.tensor, int])
def test_truth_in_another_form_is_understood(verdict):
    assert check.clinic_transpose(lambda c: verdict(thorough(c))).passed is True


@pytest.mark.parametrize("nothing", [None, 3, lambda: True])
def test_no_function_of_one_candidate_is_told_so(nothing):
    result = check.clinic_transpose(nothing)
    assert result.passed is False
    assert "no function of one candidate" in result.text
