"""The bug clinic: caught, missed and accused candidates are counted and described."""

from __future__ import annotations

import pytest
import torch

from manyheads import check
from manyheads.check.split.clinic import patients


def want(x, H):
    return torch.stack(x.chunk(H, dim=-1), dim=1)


def faulty_on(candidate, sizes, H):
    x = torch.arange(float(torch.Size(sizes).numel())).reshape(sizes)
    try:
        got = candidate(x, H)
    except Exception:
        return True
    return got.shape != want(x, H).shape or not torch.equal(got, want(x, H))


def thorough(candidate):
    if faulty_on(candidate, (2, 5, 12), 3) or faulty_on(candidate, (1, 5, 12), 3):
        return True
    try:
        candidate(torch.zeros(2, 5, 10), 3)
    except ValueError:
        return False
    return True


def test_a_thorough_finder_passes():
    result = check.clinic_view(thorough)
    assert result.passed is True
    assert "9 of 9 faulty splits caught, 0 right ones accused" in result.text


@pytest.mark.parametrize(
    ("finder", "cause", "words"),
    [
        (lambda c: True, "accuses-a-right-one", "It accuses every one of the right splits"),
        (lambda c: False, "misses-a-bug", "0 of 9 faulty splits caught"),
        (lambda c: faulty_on(c, (2, 5, 12), 3), "misses-a-bug", "a batch of one sequence"),
        (lambda c: None, "no-answer", "neither True nor False"),
        (lambda c: "yes", "no-answer", "neither True nor False"),
        (
            lambda c: thorough(c) or c(torch.ones(1, 2, 4), 2).is_contiguous(),
            "accuses-a-right-one",
            "a right split",
        ),
        (
            lambda c: thorough(c) or not c(torch.ones(1, 2, 4), 2).is_contiguous(),
            "accuses-a-right-one",
            "whose result isn't contiguous in memory",
        ),
        (lambda c: bool(c(torch.ones(2, 5, 10), 3).sum()), "no-answer", "catch it and decide"),
        (lambda c: exit(), "no-answer", "SystemExit"),
    ],
)
def test_a_finder_that_is_not_there_yet_is_told_what_is_missing(finder, cause, words):
    result = check.clinic_view(finder)
    assert result.passed is False
    assert result.cause == cause
    assert words in " ".join(result.text.split())


@pytest.mark.parametrize("value", [None, ..., 3, lambda: True, lambda a, b: True])
def test_something_that_is_no_finder_is_explained(value):
    assert "find_bug is a function of one argument" in check.clinic_view(value).text


def test_answers_of_numpy_and_torch_count():
    assert check.clinic_view(lambda c: torch.tensor(thorough(c))).passed is True


def test_right_patients_are_right_and_faulty_ones_are_not():
    assert [thorough(patient.version) for patient in patients()] == [
        patient.faulty for patient in patients()
    ]


def test_a_keyboard_interrupt_passes_through():
    def interrupted(candidate):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check.clinic_view(interrupted)
