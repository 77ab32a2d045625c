"""The explorer of several heads on one sentence: weights, outputs, their concatenation and W_O."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase
from typing import TYPE_CHECKING

from manyheads.explore.explorer import Explorer
from manyheads.show.weights import token_place

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MOST_HEADS, MOST_TOKENS, MOST_FEATURES = 4, 16, 8

# The lesson's ten tokens: head A takes dimension 0 of each as q, k and v, head B dimension 1.
WORDS = ("The", "cat", "sat", "on", "the", "mat", "because", "it", "was", "tired")
FIRST = (0.1, 1.5, 0.3, -0.2, 0.1, -0.3, 0.6, 1.4, 0.2, 1.0)
SECOND = (0.1, 0.2, 1.2, 0.4, 0.1, -1.0, -0.6, 0.3, -0.3, -0.8)
MIXING = ((1.0, 0.3), (0.3, 1.0))


def sentence(
    words: Sequence[str] = WORDS,
    z: object = None,
    Wo: object = None,
    *,
    query: str | int = "it",
    causal: bool = False,
) -> Explorer:
    """Open heads on a sentence: choose a token, see what each head gives it and what W_O adds.

    words: the T words of the sentence, 2 to 16
    z: tensor or array [H, T, Dh], each head's q, k and v in one; the ten-token example if not given
    Wo: tensor or array [H*Dh, D], rows in, columns out; H*Dh and D may be 8 at most
    query: a token's number, or a word of the sentence (its first place counts)
    causal: whether a token sees no later ones at the start
    returns: an Explorer; in a page without scripts, and in print, its text says the same
    raises: ValueError when shapes disagree or the query is no token of the sentence

    >>> print(sentence().text.splitlines()[0])
    Query it, token 7. Head A gives most to cat (0.290) and outputs 1.001.
    """
    import numpy as np

    heads = _array("z", (FIRST, SECOND) if z is None else z)
    heads = heads[:, :, None] if z is None else heads
    mixing = _array("Wo", MIXING if Wo is None else Wo)
    _validate(words, heads, mixing)
    place = token_place(list(words), query, "sentence")
    state = {
        "words": [str(word) for word in words],
        "z": heads.tolist(),
        "Wo": [[_short(entry) for entry in row] for row in mixing],
        "query": place,
        "causal": bool(causal),
    }
    weights = _weights(heads, place, causal)  # [H, T]
    outputs = np.einsum("ht,htd->hd", weights, heads)  # [H, Dh]
    return Explorer("sentence", state, _text(list(words), place, weights, outputs, mixing))


def _array(name: str, given: object) -> Array:
    import numpy as np

    detach = getattr(given, "detach", None)
    array = np.asarray(detach() if detach else given, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError(
            f"sentence: {name} holds a number that isn't finite, which can't be drawn."
        )
    return array


def _validate(words: Sequence[str], z: Array, Wo: Array) -> None:
    T = len(words)
    if z.ndim != 3 or z.shape[1] != T:
        raise ValueError(f"sentence: z is {list(z.shape)}, but {T} words need [H, {T}, Dh].")
    H, _, Dh = z.shape
    if Wo.ndim != 2 or Wo.shape[0] != H * Dh:
        raise ValueError(
            f"sentence: Wo is {list(Wo.shape)}, but H={H} heads of Dh={Dh} need [{H * Dh}, D]."
        )
    fits = 1 <= H <= MOST_HEADS and 2 <= T <= MOST_TOKENS
    if not fits or not 1 <= H * Dh <= MOST_FEATURES or not 1 <= Wo.shape[1] <= MOST_FEATURES:
        raise ValueError(
            f"sentence: H={H}, T={T}, Dh={Dh}, D={Wo.shape[1]}, but H must be 1 to {MOST_HEADS}, "
            f"T 2 to {MOST_TOKENS}, H*Dh and D 1 to {MOST_FEATURES} to stay legible."
        )


def _short(entry: float) -> float:
    """An entry as a person would type it: float32's 0.3 is no 0.30000001192092896.

    >>> _short(0.30000001192092896)
    0.3
    """
    return float(f"{entry:.6g}")


def _weights(z: Array, query: int, causal: bool) -> Array:
    """What the query gives to each token, head by head: [H, T]."""
    import numpy as np

    scores = np.einsum("hd,htd->ht", z[:, query], z) / np.sqrt(z.shape[2])
    if causal:
        scores[:, query + 1 :] = -np.inf
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Array = powers / powers.sum(axis=1, keepdims=True)
    return shares


def _text(words: list[str], query: int, weights: Array, outputs: Array, Wo: Array) -> str:
    joined = outputs.reshape(-1)  # [H*Dh]
    said = [f"Query {words[query]}, token {query}."]
    for h, row in enumerate(weights):
        j = int(row.argmax())
        said.append(
            f"Head {ascii_uppercase[h]} gives most to {words[j]} ({row[j]:.3f}) "
            f"and outputs {_vector(outputs[h])}."
        )
    first = " ".join(said[:2])
    mixed = f"Joined {_vector(joined)}. W_O mixes to {_vector(joined @ Wo)}."
    wide = max(map(len, words))
    names = "  ".join(f"head {ascii_uppercase[h]}" for h in range(len(weights)))
    rows = [
        f"{word:{wide}}  " + "  ".join(f"{weight:6.3f}" for weight in weights[:, j])
        for j, word in enumerate(words)
    ]
    return "\n".join([first, *said[2:], mixed, f"{'':{wide}}  {names}", *rows])


def _vector(numbers: Array) -> str:
    told = [f"{number + 0.0:.3f}" for number in numbers]
    return told[0] if len(told) == 1 else f"({', '.join(told)})"
