"""Results of the wrong kind and errors: a sentence for each, and the learner's own traceback."""

from __future__ import annotations

import pytest
import torch

from manyheads import check
from manyheads.check.kinds import KINDS


def text(fn):
    return " ".join(check.split_heads(fn).text.split())


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (lambda x, H: None, "Did you forget `return`, or is the stub still in place?"),
        (lambda x, H: ..., "The dots stand where your code goes"),
        (lambda x, H: x.numpy(), "returned a NumPy array"),
        (lambda x, H: list(x.chunk(H, -1)), "a list holding 3 x tensor (2, 5, 4)"),
        (lambda x, H: (x, None), "holding 1 x tensor (2, 5, 12) and 1 x None"),
        (lambda x, H: (x,), "`out,` is not `out`"),
        (lambda x, H: (h for h in x), "A generator"),
        (lambda x, H: x.long(), "a tensor of whole numbers (torch.int64)"),
        (lambda x, H: x > 0, "a tensor of True and False (torch.bool)"),
        (lambda x, H: x + 0j, "a tensor of complex numbers (torch.complex64)"),
        (lambda x, H: object(), "an object that isn't a tensor (object)"),
    ],
)
def test_a_result_of_the_wrong_kind_gets_a_sentence(fn, words):
    assert words in text(fn)
    assert "Called with x [2, 5, 12], num_heads=3" in text(fn)


def test_every_kind_has_its_own_cause():
    causes = [row[0] for row in KINDS.values()]
    assert len(set(causes)) == len(causes)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (torch.ones(2), "this is a Tensor, not a function"),
        (None, "There is nothing in split_heads yet"),
        (..., "There is nothing in split_heads yet"),
        ("split_heads", "takes the function itself, without brackets"),
    ],
)
def test_something_that_is_no_function_is_explained(value, words):
    result = check.split_heads(value)
    assert result.passed is False
    assert words in result.text


def test_the_traceback_keeps_the_learners_lines_only():
    source = (
        "def helper(x):\n    return x.nothing\ndef split_heads(x, num_heads):\n    return helper(x)"
    )
    space = {}
    exec(compile(source, "answer.py", "exec"), space)  # noqa: S102  (the source above)
    result = check.split_heads(space["split_heads"])
    assert result.traceback.splitlines() == [
        "in split_heads, line 4:",
        "in helper, line 2:",
        "AttributeError: 'Tensor' object has no attribute 'nothing'",
    ]


def test_a_library_frame_is_not_shown():
    result = check.split_heads(lambda x, H: torch.stack(["no tensor"]))
    assert "site-packages" not in result.text
    assert "TypeError" in result.traceback.splitlines()[-1]


def test_an_error_that_cannot_be_printed_is_named():
    class MuteError(Exception):
        def __str__(self):
            raise ValueError

    def fails(x, H):
        raise MuteError

    result = check.split_heads(fails)
    assert result.passed is False
    assert "MuteError" in result.text


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (lambda x: x, "The check calls it with 2 values"),
        (lambda x, H: undefined, "Python doesn't know a name"),  # noqa: F821  (meant)
        (lambda x, H: x[0, 0, 0, 0], "An axis or an index was used that isn't there"),
        (lambda x, H: x.view(7), "the sizes you ask for have to multiply"),
        (lambda x, H: exit(), "exit() and quit() end a program"),
        (lambda x, H: 1 / 0, "Your function stopped before it returned anything"),
    ],
)
def test_an_error_is_read_for_a_beginner(fn, words):
    assert words in text(fn)


def test_a_keyboard_interrupt_passes_through_the_check():
    def interrupted(x, H):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check.split_heads(interrupted)


def test_prints_of_the_learner_are_left_alone(capsys):
    check.split_heads(lambda x, H: print("mine"))
    assert capsys.readouterr().out.startswith("mine\n")
