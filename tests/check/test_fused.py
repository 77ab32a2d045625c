"""What `check.split_fused_qkv` says: which columns a view holds, and which widths are refused."""

from __future__ import annotations

import time

import pytest
import torch

from manyheads import check
from manyheads.check.fused import CASES, REFUSED, columns
from manyheads.check.project import numbers
from manyheads.check.run import function_result


def words(result):
    return " ".join(result.text.split())


def cut(y, *widths):
    return y.split(list(widths), -1)


def right(x, Wqkv, H, Hkv, Dh):
    return cut(x @ Wqkv, H * Dh, Hkv * Dh, Hkv * Dh)


def slices(x, Wqkv, H, Hkv, Dh):
    y, a, b = x @ Wqkv, H * Dh, Hkv * Dh
    return y[..., :a], y[..., a : a + b], y[..., a + b :]


def test_a_right_answer_passes():
    result = check.split_fused_qkv(right)
    assert result.passed is True
    assert "widths that don't add up refused" in words(result)


def test_torch_s_own_refusal_counts_and_a_kinder_one_is_suggested():
    assert "That counts; a message of your own could name H, Hkv and Dh." in words(
        check.split_fused_qkv(right)
    )


def test_an_own_message_is_not_commented_on():
    def checked(x, Wqkv, H, Hkv, Dh):
        if Wqkv.shape[1] != (H + 2 * Hkv) * Dh:
            raise ValueError("H + 2*Hkv heads of Dh need other columns")
        return right(x, Wqkv, H, Hkv, Dh)

    assert "That counts" not in check.split_fused_qkv(checked).text


def test_columns_are_named_where_they_are_recognised():
    said = words(check.split_fused_qkv(lambda x, W, H, Hkv, Dh: (x @ W).chunk(3, -1)))
    assert "q should hold columns 0..7, yours holds columns 0..3" in said
    assert "k should hold columns 8 and 9, yours holds columns 4..7" in said


def test_numbers_are_named_where_no_column_is_recognised():
    result = check.split_fused_qkv(lambda *args: tuple(z.sin() for z in right(*args)))
    assert result.cause is None
    assert "q[0, 0, 0] should be" in words(result)


def test_columns_finds_each_feature_s_column_and_says_when_there_is_none():
    y = numbers((2, 5, 6), 3).double().numpy()
    assert columns(y[..., [4, 0]], y).tolist() == [4, 0]
    assert columns(y[..., [4, 0]] + 100, y).tolist() == [-1, -1]


def test_cases_tell_thirds_widths_and_groups_apart():
    given = [tuple(case.make().values()) for case in CASES]
    heads = [(H, Hkv) for _, _, H, Hkv, _ in given]
    assert any(H // Hkv != Hkv and Hkv > 1 for H, Hkv in heads)
    assert any(Hkv == H for H, Hkv in heads)
    assert any(H * Dh != x.shape[-1] for x, _, H, _, Dh in given)
    assert any(W.shape[0] == W.shape[1] for _, W, *_ in given)
    assert any(W.shape[1] % 3 for _, W, *_ in given)


def test_every_refused_width_is_wrong():
    for case in REFUSED:
        _, W, H, Hkv, Dh = case.make().values()
        assert W.shape[1] != (H + 2 * Hkv) * Dh


def unfit(_, Wqkv, H, Hkv, Dh):
    """How many columns there are too many, or too few."""
    return Wqkv.shape[1] - (H + 2 * Hkv) * Dh


def returns_none(*args):
    return None if unfit(*args) else right(*args)


def stops_with_a_key(*args):
    return {0: right}[unfit(*args)](*args)


def too_wide_only(*args):
    return right(*args) if unfit(*args) > 0 else slices(*args)


def oddly(*args):
    return tuple(z.flip(-1) for z in slices(*args)) if unfit(*args) else right(*args)


@pytest.mark.parametrize(
    ("answer", "cause", "said"),
    [
        (slices, "v-takes-the-rest", "Q, K and V need 12 columns and there are 24"),
        (returns_none, "reports-instead-of-raising", "It returned NoneType."),
        (stops_with_a_key, "other-error", "with KeyError"),
        (too_wide_only, "accepts-narrow", "there are 11"),
        (oddly, "accepts-other-widths", "nothing sensible"),
    ],
)
def test_an_accepted_width_is_explained(answer, cause, said):
    result = check.split_fused_qkv(answer)
    assert result.passed is False
    assert result.cause == cause
    assert said in words(result)


def test_not_implemented_is_no_refusal():
    def unfinished(x, Wqkv, H, Hkv, Dh):
        if Wqkv.shape[1] != (H + 2 * Hkv) * Dh:
            raise NotImplementedError
        return right(x, Wqkv, H, Hkv, Dh)

    result = check.split_fused_qkv(unfinished)
    assert result.cause == "not-written-yet"


def test_the_text_is_ready_within_50_ms_of_processor_time():
    function_result("fused", lambda x, W, *_: (x @ W).chunk(3, -1))
    start = time.process_time()
    function_result("fused", lambda x, W, *_: (x @ W).chunk(3, -1))
    assert time.process_time() - start < 0.05


def test_the_picture_names_columns_in_words_too():
    _, draw = function_result("fused", lambda x, W, *_: (x @ W).chunk(3, -1))
    assert "Yours hold columns [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]" in draw().alt


def test_the_picture_falls_back_to_numbers():
    _, draw = function_result("fused", lambda *args: tuple(z.sin() for z in right(*args)))
    assert "Yours differ in q, k, v." in draw().alt


def test_x_is_read_whatever_its_width():
    assert torch.equal(*(case.make()["x"] for case in (CASES[0], CASES[6])))
