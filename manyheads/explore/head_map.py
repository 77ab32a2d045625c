"""The explorer of grouped heads: who reads whom, and what K and V weigh."""

from __future__ import annotations

from manyheads.explore.explorer import Explorer
from manyheads.explore.sizes import check_sizes

MOST = {"H": 16, "Hkv": 16, "Dh": 128}
BYTES = (1, 2, 4)


def head_map(H: int = 6, Hkv: int = 3, Dh: int = 4, bytes_per_value: int = 4) -> Explorer:
    """Explore which of Hkv key/value heads each of H query heads reads, in both even orders.

    H, Hkv: numbers of query heads and of key/value heads to start from, 1 to 16; a pair that
        doesn't fit shows the rule it breaks
    Dh: head width, 1 to 128
    bytes_per_value: 4, 2 or 1
    returns: an Explorer
    raises: ValueError when a number is out of its range

    >>> print(head_map(H=6, Hkv=3))
    Query head   interleaved   tiled
    0            K/V 0         K/V 0
    1            K/V 0         K/V 1
    2            K/V 1         K/V 2
    3            K/V 1         K/V 0
    4            K/V 2         K/V 1
    5            K/V 2         K/V 2
    K and V of one token take 96 bytes a layer.
    """
    check_sizes("head_map", {"H": H, "Hkv": Hkv, "Dh": Dh}, MOST)
    if bytes_per_value not in BYTES:
        raise ValueError(f"head_map: bytes_per_value={bytes_per_value}, but it must be 1, 2 or 4.")
    state = {"H": H, "Hkv": Hkv, "Dh": Dh, "bytes": bytes_per_value, "head": min(1, H - 1)}
    return Explorer(
        "head_map", state | {"most": MOST}, _words(H, Hkv, 2 * Hkv * Dh * bytes_per_value)
    )


def _words(H: int, Hkv: int, size: int) -> str:
    if H % Hkv:
        return f"H={H} query heads can't share Hkv={Hkv} K/V heads: {H} % {Hkv} = {H % Hkv}."
    pairs = [(h // (H // Hkv), h % Hkv) for h in range(H)]
    rows = [f"{h:<12} K/V {ours:<9} K/V {other}" for h, (ours, other) in enumerate(pairs)]
    head = f"{'Query head':<12} {'interleaved':<13} tiled"
    return "\n".join([head, *rows, f"K and V of one token take {size} bytes a layer."])
