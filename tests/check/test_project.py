"""What `check.project_qkv` says: which views are right, the first wrong number, the cause."""

from __future__ import annotations

import time

import pytest
import torch

from manyheads import check
from manyheads.check.engine import call
from manyheads.check.project import AGAIN, CASES, EXERCISE, FIRST, SLOTS
from manyheads.check.project.slots import _made
from manyheads.check.run import function_result
from manyheads.check.views import near


def setting(args):
    x, *matrices = args.values()
    return x, tuple(matrices)


def test_a_right_answer_passes_and_says_what_was_compared():
    result = check.project_qkv(lambda x, Wq, Wk, Wv: (x @ Wq, x @ Wk, x @ Wv))
    assert result.passed is True
    assert "Compared: shape and value of q, k and v on 7 inputs" in " ".join(result.text.split())
    assert "Hidden tests" in result.text


def test_what_is_right_is_said_first():
    result = check.project_qkv(lambda x, Wq, Wk, Wv: (x @ Wq, x @ Wk.T, x @ Wv))
    assert result.headline == "q and v are right; k is not"


def test_the_first_wrong_number_is_the_learner_s_beside_the_right_one():
    x, Wq, *_ = FIRST.make().values()
    mine, right = (x @ Wq).flip(-1), x @ Wq
    b, t, e = (int(n) for n in (mine != right).nonzero()[0])
    result = check.project_qkv(lambda x, Wq, Wk, Wv: ((x @ Wq).flip(-1), x @ Wk, x @ Wv))
    said = f"q[{b}, {t}, {e}] should be {right[b, t, e]:g}; yours is {mine[b, t, e]:g}."
    assert said in " ".join(result.text.split())


def test_a_wrong_shape_is_named_with_the_shape_asked_for():
    result = check.project_qkv(lambda x, Wq, Wk, Wv: ((x @ Wq).mT, x @ Wk, x @ Wv))
    assert "q should have shape (2, 5, 12); yours has (2, 12, 5)." in " ".join(result.text.split())


def test_where_no_cause_is_known_the_text_says_which_parts_are_right():
    def odd(x, Wq, Wk, Wv):
        q = x @ Wq
        q[1] = q[1].sin() + 3
        return q, x @ Wk, x @ Wv

    result = check.project_qkv(odd)
    assert result.cause is None
    assert "60 of the 120 numbers of q are right. Right throughout: sample 0." in " ".join(
        result.text.split()
    )
    assert "Probe: take the first wrong number" in result.text


def test_right_for_the_first_input_and_not_for_a_later_one_is_said():
    result = check.project_qkv(
        lambda x, Wq, Wk, Wv: ((x @ Wq).squeeze(0), (x @ Wk).squeeze(0), (x @ Wv).squeeze(0))
    )
    assert "project_qkv is right for x [2, 5, 12]" in result.text
    assert "but not for x [1, 5, 12]" in " ".join(result.text.split())


def test_different_mistakes_in_two_views_are_told_one_at_a_time():
    result = check.project_qkv(lambda x, Wq, Wk, Wv: (x @ Wq, x @ Wk.T, (x @ Wv).relu()))
    assert result.headline == "q is right; k and v are not"
    assert result.cause == "transposed"


def test_a_part_of_another_type_is_named():
    result = check.project_qkv(lambda x, Wq, Wk, Wv: (x @ Wq, (x @ Wk).long(), x @ Wv))
    assert result.cause == "members-not-tensors"
    assert "k is a tensor of type torch.int64" in " ".join(result.text.split())


def test_the_first_case_alone_would_not_hide_a_transpose():
    matrices = list(FIRST.make().values())[1:]
    assert all(W.shape[0] == W.shape[1] and not torch.equal(W, W.T) for W in matrices)


def test_the_last_case_has_the_first_one_s_x_and_other_matrices():
    x, *matrices = FIRST.make().values()
    same, *others = AGAIN.make().values()
    assert torch.equal(x, same)
    assert not any(torch.equal(W, other) for W, other in zip(matrices, others, strict=True))


@pytest.mark.parametrize("slot", SLOTS, ids=lambda slot: slot.cause.id)
def test_no_way_of_making_a_mistake_makes_the_right_views(slot):
    for view in slot.views:
        right = [
            near(_made(view, setting, case, i), part)
            for case in CASES
            for i, part in enumerate(call(EXERCISE.target, case.make()).parts)
        ]
        assert not all(right)


def test_no_two_slot_causes_make_the_same_views():
    seen = {}
    for slot in SLOTS:
        for view in slot.views:
            made = tuple(
                (out.kind, out.shape, None if out.array is None else out.array.round(3).tobytes())
                for case in CASES
                for out in (_made(view, setting, case, i) for i in range(3))
            )
            if all(kind == "error" for kind, *_ in made):
                continue
            assert seen.setdefault(made, slot.cause.id) == slot.cause.id


@pytest.mark.parametrize(
    "answer",
    [
        lambda x, Wq, Wk, Wv: (x @ Wq, x @ Wk, x @ Wv),
        lambda x, Wq, Wk, Wv: (x @ Wq, x @ Wk.T, x @ Wv),
        lambda x, Wq, Wk, Wv: tuple((x @ W).sin() for W in (Wq, Wk, Wv)),
    ],
    ids=["right", "transposed", "unknown"],
)
def test_the_text_is_ready_within_50_ms_of_processor_time(answer):
    function_result("project", answer)
    start = time.process_time()
    function_result("project", answer)
    assert time.process_time() - start < 0.05


def test_torch_s_threads_are_given_back():
    before = torch.get_num_threads()
    check.project_qkv(lambda x, Wq, Wk, Wv: None)
    assert torch.get_num_threads() == before


def test_the_picture_marks_wrong_numbers_and_says_so_in_words():
    _, draw = function_result("project", lambda x, Wq, Wk, Wv: (x @ Wq, x @ Wk.T, x @ Wv))
    assert "Yours differ in k." in draw().alt


def test_no_picture_for_a_result_that_is_not_three_tensors():
    _, draw = function_result("project", lambda x, Wq, Wk, Wv: (x @ Wq, x @ Wk))
    assert draw() is None
