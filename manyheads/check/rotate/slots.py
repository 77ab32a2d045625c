"""Mistakes in what each of the three results is made of."""
# ruff: noqa: ARG005  (variants have the signature of the exercise, whatever they use of it)

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from torch import Tensor

from manyheads.check.exercise import Cause, Variant
from manyheads.check.rotate.ropes import Rope
from manyheads.check.rotate.wrong_ropes import Triple, mixed, with_rope

ORDERS = tuple(order for order in permutations(range(3)) if order != (0, 1, 2))


def _reordered(order: Sequence[int]) -> Variant:
    def variant(q: Tensor, k: Tensor, v: Tensor, rope: Rope) -> Triple:
        right = (rope(q), rope(k), v)
        return tuple(right[i] for i in order)

    return variant


V_CHANGED = Cause(
    "v-changed",
    "v was scaled, emptied, or mixed with something. It is passed on exactly as it came.",
    "subtract v from your third result. What is left?",
    (
        *(
            lambda q, k, v, rope, factor=factor: (rope(q), rope(k), v * factor)
            for factor in (0, 2, 0.5, -1)
        ),
        lambda q, k, v, rope: (rope(q), rope(k), v + rope(v)),
        lambda q, k, v, rope: (rope(q), rope(k), v + k),
        lambda q, k, v, rope: (rope(q), rope(k), v / v.shape[-1] ** 0.5),
        lambda q, k, v, rope: (rope(q), rope(k), v * v.shape[-1] ** -0.5),
        lambda q, k, v, rope: (rope(q), rope(k), rope(rope(v))),
        lambda q, k, v, rope: (rope(q), rope(k), v.transpose(1, 2)),
        lambda q, k, v, rope: (rope(q), rope(k), v.softmax(-1)),
        lambda q, k, v, rope: (rope(q), rope(k), v.flip(2)),
    ),
)

CAUSES = (
    Cause(
        "rotates-v",
        "v went through rope too. The rotation writes a token's position into what is compared, q "
        "and k; v is the content that is passed on, the same wherever the token stands.",
        "compare your third result with v, token by token. Where do they start to differ?",
        (lambda q, k, v, rope: (rope(q), rope(k), rope(v)),),
    ),
    Cause(
        "rotates-v-in-place-of-another",
        "v was rotated, and q or k was not. Position goes into the two that are compared with each "
        "other.",
        "which two of the three meet in a score?",
        (
            lambda q, k, v, rope: (q, rope(k), rope(v)),
            lambda q, k, v, rope: (rope(q), k, rope(v)),
            lambda q, k, v, rope: (q, k, rope(v)),
        ),
    ),
    Cause(
        "only-q",
        "q knows its position and k doesn't. A score depends on the distance of two tokens only if "
        "both are rotated.",
        "compare your second result with k. Are they equal?",
        (lambda q, k, v, rope: (rope(q), k, v),),
    ),
    Cause(
        "only-k",
        "k knows its position and q doesn't. A score depends on the distance of two tokens only if "
        "both are rotated.",
        "compare your first result with q. Are they equal?",
        (lambda q, k, v, rope: (q, rope(k), v),),
    ),
    Cause(
        "nothing-rotated",
        "q and k came back as they were. rope gives a new tensor and leaves its argument alone, "
        "so a result that isn't kept is lost.",
        "what happens to the value that rope gives back in your function?",
        (lambda q, k, v, rope: (q, k, v),),
    ),
    Cause(
        "k-from-q",
        "The second result was made from q. It is easy to copy a line and leave one letter.",
        "what does your second call of rope receive?",
        (
            lambda q, k, v, rope: (rope(q), rope(q), v),
            lambda q, k, v, rope: (rope(q), rope(q)[:, : k.shape[1]], v),
            lambda q, k, v, rope: (rope(q), rope(rope(q)), v),
            lambda q, k, v, rope: (rope(q), q, v),
        ),
    ),
    Cause(
        "q-from-k",
        "The first result was made from k. It is easy to copy a line and leave one letter.",
        "what does your first call of rope receive?",
        (
            lambda q, k, v, rope: (rope(k), rope(k), v),
            lambda q, k, v, rope: (rope(rope(k)), rope(k), v),
            lambda q, k, v, rope: (k, rope(k), v),
        ),
    ),
    Cause(
        "rotates-twice",
        "rope was applied more than once, so a token is told a position that isn't its own.",
        "count how often rope is called on its way from q to your first result, and from k to your "
        "second.",
        (
            *mixed(lambda rope: lambda x: rope(rope(x))),
            with_rope(lambda rope: lambda x: rope(rope(rope(x)))),
        ),
    ),
    Cause(
        "other-order",
        "All three are there, in another order. Whoever calls you unpacks them as q', k', v.",
        "print the shapes of your three results, and compare the last one with v.",
        (
            *(_reordered(order) for order in ORDERS),
            lambda q, k, v, rope: (k, q, v),
            lambda q, k, v, rope: (v, k, q),
        ),
    ),
    Cause(
        "v-from-another",
        "The third result isn't v at all: it was made from q or k.",
        "compare your third result with each of the three inputs.",
        (
            lambda q, k, v, rope: (rope(q), rope(k), k),
            lambda q, k, v, rope: (rope(q), rope(k), rope(k)),
            lambda q, k, v, rope: (rope(q), rope(k), q),
            lambda q, k, v, rope: (rope(q), rope(k), rope(q)),
        ),
    ),
    V_CHANGED,
    Cause(
        "v-repeated",
        "v has more heads than before. Repeating k and v for the query heads is another step, "
        "later.",
        "how many heads has v when it comes in, and how many when it goes out?",
        (
            *(
                lambda q, k, v, rope, many=many: (
                    rope(q),
                    many(rope(k), q.shape[1] // k.shape[1]),
                    many(v, q.shape[1] // k.shape[1]),
                )
                for many in (
                    lambda x, n: x.repeat_interleave(n, 1),
                    lambda x, n: x.repeat(1, n, 1, 1),
                )
            ),
            lambda q, k, v, rope: (
                rope(q),
                rope(k),
                v.repeat_interleave(q.shape[1] // k.shape[1], 1),
            ),
        ),
    ),
    Cause(
        "k-repeated",
        "k came back with as many heads as q. It may have fewer, and keeps them: repeating is "
        "another step, later.",
        "how many heads has k when it comes in, and how many when it goes out?",
        (
            lambda q, k, v, rope: (
                rope(q),
                rope(k).repeat_interleave(q.shape[1] // k.shape[1], 1),
                v,
            ),
            lambda q, k, v, rope: (rope(q), rope(k).repeat(1, q.shape[1] // k.shape[1], 1, 1), v),
        ),
    ),
    Cause(
        "q-cut-to-k",
        "q came back with as many heads as k: query heads are missing.",
        "how many heads has q when it comes in, and how many when it goes out?",
        (
            lambda q, k, v, rope: (rope(q[:, : k.shape[1]]), rope(k), v),
            lambda q, k, v, rope: (rope(q[:, :: q.shape[1] // k.shape[1]]), rope(k), v),
        ),
    ),
)
