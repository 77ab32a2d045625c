"""Checks run on one thread and leave the notebook's setting alone."""

import pytest
import torch

from manyheads.check.threads import one_thread


def test_the_number_of_threads_comes_back():
    before = torch.get_num_threads()
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_it_comes_back_after_an_error():
    before = torch.get_num_threads()
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert torch.get_num_threads() == before
