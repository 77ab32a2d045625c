"""Mistakes that add something to the product: an activation, a softmax, a norm, rounding."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from manyheads.check.exercise import Cause
from manyheads.check.project.slots import Slot, View

Step = Callable[[Tensor], Tensor]


def after(step: Step) -> View:
    """The view that does `step` to the product."""
    return lambda x, W, i: step(x @ W[i])


def before(step: Step) -> View:
    """The view that does `step` to x, then projects."""
    return lambda x, W, i: step(x) @ W[i]


def on_matrix(step: Step) -> View:
    """The view that does `step` to the matrix, then projects."""
    return lambda x, W, i: x @ step(W[i])


def _both(*steps: Step) -> tuple[View, ...]:
    return tuple(place(step) for place in (after, before) for step in steps)


def _layer_norm(z: Tensor) -> Tensor:
    return F.layer_norm(z, z.shape[-1:])


def _rms_norm(z: Tensor) -> Tensor:
    return F.rms_norm(z, z.shape[-1:])


def _unit(z: Tensor) -> Tensor:
    return F.normalize(z, dim=-1)


def _centred(z: Tensor) -> Tensor:
    return z - z.mean(-1, keepdim=True)


def _standard(z: Tensor) -> Tensor:
    return _centred(z) / z.std(-1, keepdim=True)


SLOTS = (
    Slot(
        Cause(
            "activation",
            "An activation function bends the numbers. Q, K and V are linear in x: no ReLU, no "
            "GELU, no absolute value.",
            "are there negative numbers in your result? Double x: does every number double?",
            exposed_by="products of both signs",
        ),
        _both(
            F.relu,
            F.gelu,
            lambda z: F.gelu(z, approximate="tanh"),
            torch.sigmoid,
            torch.tanh,
            F.silu,
            torch.abs,
            F.leaky_relu,
            F.elu,
            F.softplus,
            torch.square,
            torch.exp,
        ),
    ),
    Slot(
        Cause(
            "softmax",
            "A softmax was taken. It comes later, over the scores, when queries have met keys; "
            "a projection stays as it is.",
            "which axis of your result sums to 1? Should one?",
            exposed_by="any values",
        ),
        (
            *(after(lambda z, n=n: z.softmax(n)) for n in (-1, 1, 0)),  # type: ignore[misc]
            after(lambda z: z.log_softmax(-1)),
            before(lambda z: z.softmax(-1)),
            before(lambda z: z.softmax(1)),
            on_matrix(lambda w: w.softmax(0)),
            on_matrix(lambda w: w.softmax(1)),
        ),
    ),
    Slot(
        Cause(
            "normalises",
            "Rows were normalised or centred. x comes in normalised already, and this exercise "
            "asks for the bare product. (Some models normalise q and k per head, a step later.)",
            "double x: does every number of your result double?",
            exposed_by="tokens of different lengths",
        ),
        (
            *_both(_layer_norm, _rms_norm, _unit, _centred, _standard),
            *(on_matrix(step) for step in (_unit, _rms_norm, lambda w: F.normalize(w, dim=0))),
        ),
    ),
    Slot(
        Cause(
            "rounds",
            "Something after the point was lost: a round(), an int, or a number type of low "
            "precision on the way.",
            "compare the dtype of every value in your function with x.dtype.",
            exposed_by="inputs that aren't whole numbers",
        ),
        (
            *_both(torch.round, torch.trunc, torch.floor, torch.ceil),
            lambda x, W, i: x.trunc() @ W[i].trunc(),
            on_matrix(torch.trunc),
            lambda x, W, i: x.bfloat16().float() @ W[i].bfloat16().float(),
        ),
    ),
)
