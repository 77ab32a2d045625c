"""The clinic of lesson 05: faulty and right merges can be told apart, and by one good input."""

from __future__ import annotations

import torch

from manyheads import check
from manyheads.check.merge.clinic import FAULTY, RIGHT


def faulty(candidate):
    context = torch.arange(120.0).view(2, 3, 5, 4)
    got, want = candidate(context), torch.cat(list(context.unbind(1)), -1)
    return got.shape != want.shape or not torch.equal(got, want)


def test_one_good_input_tells_all_of_them_apart():
    assert all(faulty(patient.version) for patient in FAULTY)
    assert not any(faulty(patient.version) for patient in RIGHT)


def test_a_thorough_finder_passes():
    result = check.clinic_merge(faulty)
    assert result.passed is True
    assert f"{len(FAULTY)} of {len(FAULTY)} faulty merges caught" in result.text


def test_candidates_don_t_tell_by_their_name():
    names = []

    def looks(candidate):
        names.append(candidate.__name__)
        return faulty(candidate)

    check.clinic_merge(looks)
    assert set(names) == {"candidate"}
