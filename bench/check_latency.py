"""How long a learner waits for a check: the text, and the picture that follows it.

Run `python -m bench.check_latency`. Each row is the median and the slowest of 20 warm runs, in
milliseconds; the floors of the design are 50 for the text and 300 for the picture.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from manyheads.check.diagnose import examine
from manyheads.check.exercise import Exercise
from manyheads.check.mha.steps import RIGHT, Steps
from manyheads.check.run import function_result
from manyheads.explore.compare import explored

RUNS = 20


def split(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """A right answer."""
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


def loops(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """A right answer, number by number: as slow as an honest one gets."""
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("D % H")
    out = x.new_empty(B, num_heads, T, D // num_heads)
    for index in torch.cartesian_prod(*map(torch.arange, out.shape)).tolist():
        b, h, t, d = index
        out[b, h, t, d] = x[b, t, h * (D // num_heads) + d]
    return out


ANSWERS: dict[str, dict[str, Callable[..., Any]]] = {
    "split": {
        "right": lambda x, H: x.unflatten(-1, (H, -1)).transpose(1, 2),
        "right, four loops": loops,
        "direct view": lambda x, H: x.reshape(x.shape[0], H, x.shape[1], -1),
        "tokens before heads": lambda x, H: x.unflatten(-1, (H, -1)),
        "three heads always": lambda x, _: split(x, 3),
        "no known cause": lambda x, H: split(x.flip(0), H).roll(2, 3),
        "returns None": lambda *_: None,
        "raises": lambda x, _: x.view(7),
    },
    "rotate": {
        "right": lambda q, k, v, rope: (rope(q), rope(k), v),
        "rotates v": lambda q, k, v, rope: (rope(q), rope(k), rope(v)),
        "token-major": lambda q, k, v, rope: (rope(q.mT).mT, rope(k.mT).mT, v),
        "no known cause": lambda q, k, v, rope: (rope(q).tanh(), rope(k), v),
    },
    "merge": {
        "right": lambda c: c.transpose(1, 2).flatten(2),
        "no transpose": lambda c: c.reshape(c.shape[0], c.shape[2], -1),
        "no known cause": lambda c: c.transpose(1, 2).flatten(2).sort(-1).values.flip(1),
    },
    "output": {
        "right": lambda merged, Wo: merged @ Wo,
        "transposed": lambda merged, Wo: torch.nn.functional.linear(merged, Wo),
        "no known cause": lambda merged, Wo: (merged @ Wo).exp(),
    },
    "mha": {
        "right": RIGHT,
        "no mask": Steps(mask=lambda scores: scores),
        "no known cause": Steps(score=lambda q, k: (q @ k.mT) ** 3),
    },
    "project": {
        "right": lambda x, *W: [x @ w for w in W],
        "transposed": lambda x, *W: [x @ w.T for w in W],
        "attends": lambda x, *W: [(x @ x.mT).softmax(-1) @ x @ w for w in W],
        "no known cause": lambda x, *W: [(x @ w).sin() for w in W],
    },
    "fused": {
        "right": lambda x, W, H, K, n: (x @ W).split([H * n, K * n, K * n], -1),
        "equal thirds": lambda x, W, *_: (x @ W).chunk(3, -1),
        "no known cause": lambda x, W, H, K, n: (x @ W).sin().split([H * n, K * n, K * n], -1),
    },
    "kv_map": {
        "refuses nothing": lambda H, K: [h * K // H for h in range(H)],
        "tiled": lambda H, K: [h % K for h in range(H)],
    },
    "repeat": {
        "right": lambda x, n: x.repeat_interleave(n, 1),
        "tiled": lambda x, n: x.repeat(1, n, 1, 1),
        "no known cause": lambda x, n: x.repeat_interleave(n, 1).sin(),
    },
    "gqa": {
        "returns x": lambda x, *_: x,
        "no attention": lambda x, *W: (x @ W[0]) @ W[3],
    },
}


def milliseconds(work: Callable[[], Any]) -> tuple[float, float]:
    """Median and maximum over the runs, after one run to warm up."""
    work()
    taken = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken), max(taken)


def text_of(module: str, fn: Callable[..., Any]) -> None:
    """All that happens before the text is on its way to the browser."""
    result, _ = function_result(module, fn)
    result.bundle()


def picture_of(exercise: Exercise, fn: Callable[..., Any]) -> Callable[[], Any] | None:
    """The drawing of one wrong answer, or None where nothing is drawn."""
    trial = examine(exercise, fn).trial
    if trial is None or exercise.picture is None or exercise.picture(trial) is None:
        return None
    draw = partial(exercise.picture, trial)
    return lambda: explored(draw())._repr_mimebundle_()


def main() -> None:
    """Print the table."""
    table = Table("check", "answer", "text ms", "(slowest)", "picture ms", "(slowest)")
    for module, answers in ANSWERS.items():
        exercise = import_module(f"manyheads.check.{module}").EXERCISE
        for name, fn in answers.items():
            row = milliseconds(partial(text_of, module, fn))
            draw = picture_of(exercise, fn)
            drawn = milliseconds(draw) if draw else ()
            table.add_row(exercise.name, name, *(f"{number:.1f}" for number in (*row, *drawn)))
    Console().print(table)


if __name__ == "__main__":
    main()
