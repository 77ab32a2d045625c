"""The clinic of lesson 06: faulty and right repeats can be told apart, and by one good input."""

from __future__ import annotations

import torch

from manyheads import check
from manyheads.check.repeat.clinic import FAULTY, RIGHT


def faulty(candidate):
    x = torch.arange(120.0).view(2, 3, 5, 4)
    got, want = candidate(x, 2), x.repeat_interleave(2, 1)
    return got.shape != want.shape or not torch.equal(got, want)


def test_one_good_input_tells_all_of_them_apart():
    assert all(faulty(patient.version) for patient in FAULTY)
    assert not any(faulty(patient.version) for patient in RIGHT)


def test_a_thorough_finder_passes():
    result = check.clinic_repeat(faulty)
    assert result.passed is True
    assert f"{len(FAULTY)} of {len(FAULTY)} faulty repeats caught" in result.text


def test_a_missed_one_is_described_with_an_input_that_would_show_it():
    result = check.clinic_repeat(lambda candidate: candidate(torch.ones(2, 3, 5, 4), 2) is None)
    assert f"0 of {len(FAULTY)} faulty repeats caught" in result.headline
    assert "tiles the K/V heads" in result.text
    assert "three K/V heads that differ" in result.probe


def test_candidates_don_t_tell_by_their_name():
    names = []

    def looks(candidate):
        names.append(candidate.__name__)
        return faulty(candidate)

    check.clinic_repeat(looks)
    assert set(names) == {"candidate"}
