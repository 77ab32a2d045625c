"""Jobs on all cores: in order, and never held up by one that hangs or dies."""

from __future__ import annotations

import os
import time

import pytest

from manyheads.teach.workers import Lost, run_all


def test_results_come_in_the_order_of_the_jobs():
    assert run_all(len, ["heads", "", "mix"], limit=60) == [5, 0, 3]


def test_no_job_is_no_work():
    assert run_all(len, [], limit=60) == []


def test_a_job_that_hangs_is_lost_and_the_others_are_not():
    begin = time.monotonic()
    assert run_all(time.sleep, [600, 0, 0, 0], limit=0.5) == [
        Lost("did not end within 0.5 seconds"), None, None, None,
    ]  # fmt: skip
    assert time.monotonic() - begin < 60


def test_a_job_that_ends_its_process_is_lost():
    assert run_all(os._exit, [3], limit=60) == [Lost("ended the process that ran it")]


def test_an_error_that_the_function_lets_out_is_ours_and_is_raised():
    with pytest.raises(RuntimeError, match="invalid literal for int"):
        run_all(int, ["4", "four"], limit=60)


def test_each_finished_job_is_told():
    told = []
    run_all(len, ["a", "b", "c"], 60, told.append)
    assert told == [1, 2, 3]
