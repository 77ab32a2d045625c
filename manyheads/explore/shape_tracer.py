"""The explorer of shapes: from x to the residual, with one number followed through."""

from __future__ import annotations

from manyheads.explore.explorer import Explorer
from manyheads.explore.sizes import check_sizes

MOST = {"B": 4, "T": 8, "D": 24, "H": 8, "Hkv": 8}


def shape_tracer(
    B: int = 2, T: int = 5, D: int = 12, H: int = 3, Hkv: int | None = None
) -> Explorer:
    """Explore every shape from x [B, T, D] to the residual, and where one number goes.

    B, T, D: samples (at most 4), tokens (at most 8) and model width (at most 24) to start from
    H: number of query heads, at most 8; Dh is D / H here
    Hkv: number of key/value heads, at most 8; H when left out
    returns: an Explorer; a pair that doesn't fit shows the rule it breaks
    raises: ValueError when a size is out of its range

    >>> print(shape_tracer(B=2, T=5, D=12, H=6, Hkv=3))
    x                                  [2, 5, 12]
    project                            q [2, 5, 12]   k, v [2, 5, 6]
    view: name the heads               q [2, 5, 6, 2]   k, v [2, 5, 3, 2]
    transpose: bring heads forward     q [2, 6, 5, 2]   k, v [2, 3, 5, 2]
    repeat K and V                     q, k, v [2, 6, 5, 2]
    attend                             weights [2, 6, 5, 5]   context [2, 6, 5, 2]
    transpose: bring tokens forward    context [2, 5, 6, 2]
    flatten: join the heads            merged [2, 5, 12]
    W_O                                out [2, 5, 12]
    add x                              residual [2, 5, 12]
    """
    sizes = {"B": B, "T": T, "D": D, "H": H, "Hkv": H if Hkv is None else Hkv}
    check_sizes("shape_tracer", sizes, MOST)
    # Places that all differ at the lessons' sizes: sample 1, token 3, head 1, number 2.
    followed = {"b": min(1, B - 1), "t": min(3, T - 1), "f": min(6, D - 1)}
    direct = {"split": False, "merge": False}
    state = {"sizes": sizes, "followed": followed, "direct": direct, "most": MOST}
    return Explorer("shape_tracer", state, _words(**sizes))


def _words(B: int, T: int, D: int, H: int, Hkv: int) -> str:
    if D % H:
        return f"D={D} can't be shared by H={H} heads: {D} % {H} = {D % H}."
    if H % Hkv:
        return f"H={H} query heads can't share Hkv={Hkv} K/V heads: {H} % {Hkv} = {H % Hkv}."
    Dh, model = D // H, [B, T, D]
    rows = {
        "x": f"{model}",
        "project": f"q {model}   k, v {[B, T, Hkv * Dh]}",
        "view: name the heads": f"q {[B, T, H, Dh]}   k, v {[B, T, Hkv, Dh]}",
        "transpose: bring heads forward": f"q {[B, H, T, Dh]}   k, v {[B, Hkv, T, Dh]}",
        "repeat K and V": f"q, k, v {[B, H, T, Dh]}",
        "attend": f"weights {[B, H, T, T]}   context {[B, H, T, Dh]}",
        "transpose: bring tokens forward": f"context {[B, T, H, Dh]}",
        "flatten: join the heads": f"merged {model}",
        "W_O": f"out {model}",
        "add x": f"residual {model}",
    }
    return "\n".join(f"{name:<34} {shapes}" for name, shapes in rows.items())
