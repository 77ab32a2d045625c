"""What the check of rotate_qk says, and that its stand-ins for RoPE can tell mistakes apart."""

from __future__ import annotations

import pytest
import torch

from manyheads import check
from manyheads.check.rotate import CASES
from manyheads.check.rotate.ropes import NotOneTensorError, bend, guarded, stretch, turn

ROPES = (turn, stretch, bend)


@pytest.mark.parametrize(
    ("fn", "words"),
    [
        (lambda q, k, v, rope: (rope(q), rope(k), rope(v)), "q' and k' are right; v is not"),
        (lambda q, k, v, rope: (rope(q), rope(k), rope(v)), "v holds rope(v)"),
        (lambda q, k, v, rope: (rope(q), k, v), "q' and v are right; k' is not"),
        (lambda q, k, v, rope: (rope(q), k, v), "k' holds k"),
        (lambda q, k, v, rope: (rope(q), rope(k), v + 0.0), "v's numbers, but not its very bits"),
        (lambda q, k, v, rope: (rope(q), rope(k), v.double()), "as torch.float64"),
        (lambda q, k, v, rope: (rope(q), rope(k)), "returned 2 values"),
        (lambda q, k, v, rope: (rope(q), rope(k)), "1 x tensor (2, 6, 5, 4)"),
        (lambda q, k, v, rope: rope(q), "returned one tensor"),
        (lambda q, k, v, rope: (rope(q).tanh(), rope(k), v), "First difference: q'[0, 0, 0, 0]"),
        (
            lambda q, k, v, rope: rope(q, k),
            "rope takes one tensor [B, heads, T, Dh], unnamed; it was given 2",
        ),
    ],
)
def test_the_result_that_is_wrong_is_named(fn, words):
    assert words in " ".join(check.rotate_qk(fn).text.split())


def test_without_a_cause_it_says_what_is_right():
    result = check.rotate_qk(lambda q, k, v, rope: (rope(q).tanh(), rope(k), v))
    assert result.cause is None
    assert "k' and v are right; q' is not" in result.text


@pytest.mark.parametrize("rope", ROPES)
def test_a_rope_depends_on_token_and_feature(rope):
    x = torch.ones(1, 1, 3, 4)
    turned = rope(x)[0, 0]
    assert turned.shape == (3, 4)
    assert turned.unique(dim=0).shape[0] == 3
    assert turned.unique(dim=1).shape[1] > 1


@pytest.mark.parametrize("rope", ROPES)
@pytest.mark.parametrize("axes", [(2, 3), (1, 2)])
def test_a_rope_is_not_the_same_with_axes_exchanged(rope, axes):
    x = torch.randn(2, 4, 4, 4, generator=torch.Generator().manual_seed(1))
    assert not torch.allclose(rope(x.transpose(*axes)).transpose(*axes), rope(x))


def test_one_rope_is_a_rotation_and_one_is_not_linear():
    x = torch.randn(1, 2, 5, 4, generator=torch.Generator().manual_seed(2))
    assert torch.allclose(turn(x).norm(), x.norm())
    assert not torch.allclose(stretch(x).norm(), x.norm())
    assert not torch.allclose(bend(2 * x), 2 * bend(x))


@pytest.mark.parametrize("arguments", [(), (1,), (torch.ones(1), torch.ones(1)), ([],)])
def test_a_given_rope_explains_what_it_takes(arguments):
    with pytest.raises(NotOneTensorError, match="rope takes one tensor"):
        guarded(turn)(*arguments)


def test_v_holds_a_negative_zero():
    v = CASES[0].make()["v"]
    assert torch.signbit(v[v == 0]).all()
    assert (v == 0).any()


def test_heads_are_shared_in_some_cases_and_equal_in_others():
    pairs = [(case.make()["q"].shape[1], case.make()["k"].shape[1]) for case in CASES]
    assert any(h > kv for h, kv in pairs)
    assert any(h == kv > 1 for h, kv in pairs)
    assert any(kv == 1 for _, kv in pairs)
