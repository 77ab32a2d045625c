"""Feedback while learning: run a learner's function or answer and name what went wrong.

In a notebook: `from manyheads import check`, then `check.split_heads(split_heads)`. Every check
shows its answer, returns it, and never raises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manyheads.check.result import Progress, Result

__all__ = [
    "answer",
    "clinic_merge",
    "clinic_repeat",
    "clinic_transpose",
    "clinic_view",
    "grouped_query_attention",
    "kv_head_of",
    "merge_heads",
    "multi_head_attention",
    "output_projection",
    "progress",
    "project_qkv",
    "repeat_kv",
    "rotate_qk",
    "split_fused_qkv",
    "split_heads",
]


def project_qkv(fn: Any) -> Result:
    """Check a function `(x [B, T, D], Wq, Wk, Wv [D, width]) -> (q, k, v) [B, T, width]`."""
    from manyheads.check.run import check_function

    return check_function("project", fn)


def split_fused_qkv(fn: Any) -> Result:
    """Check a function `(x [B, T, D], Wqkv, H, Hkv, Dh) -> (q, k, v)`, columns [Q | K | V]."""
    from manyheads.check.run import check_function

    return check_function("fused", fn)


def clinic_transpose(find_bug: Any) -> Result:
    """Check a bug finder `(candidate) -> bool` for `candidate(x, Wq, Wk, Wv)`."""
    from manyheads.check.run import check_bug_finder

    return check_bug_finder("project.clinic", find_bug)


def split_heads(fn: Any) -> Result:
    """Check a function `(x [B, T, D], num_heads) -> [B, H, T, Dh]`.

    >>> split_heads(None).passed
    split_heads   not written yet
      There is nothing in split_heads yet.
      ...
    False
    """
    from manyheads.check.run import check_function

    return check_function("split", fn)


def rotate_qk(fn: Any) -> Result:
    """Check a function `(q [B, H, T, Dh], k and v [B, Hkv, T, Dh], rope) -> (q', k', v)`."""
    from manyheads.check.run import check_function

    return check_function("rotate", fn)


def clinic_view(find_bug: Any) -> Result:
    """Check a bug finder `(candidate) -> bool`, True for a faulty `candidate(x, num_heads)`."""
    from manyheads.check.run import check_bug_finder

    return check_bug_finder("split.clinic", find_bug)


def kv_head_of(fn: Any) -> Result:
    """Check a function `(n_heads, n_kv_heads) -> list of H whole numbers`."""
    from manyheads.check.run import check_function

    return check_function("kv_map", fn)


def repeat_kv(fn: Any) -> Result:
    """Check a function `(x [B, Hkv, T, Dh], n_rep) -> [B, Hkv * n_rep, T, Dh]`."""
    from manyheads.check.run import check_function

    return check_function("repeat", fn)


def grouped_query_attention(fn: Any) -> Result:
    """Check a function `(x [B, T, D], Wq, Wk, Wv, Wo, n_heads, n_kv_heads) -> [B, T, D]`."""
    from manyheads.check.run import check_function

    return check_function("gqa", fn)


def clinic_repeat(find_bug: Any) -> Result:
    """Check a bug finder `(candidate) -> bool`, True for a faulty `candidate(x, n_rep)`."""
    from manyheads.check.run import check_bug_finder

    return check_bug_finder("repeat.clinic", find_bug)


def merge_heads(fn: Any) -> Result:
    """Check a function `(context [B, H, T, Dh]) -> [B, T, H*Dh]`."""
    from manyheads.check.run import check_function

    return check_function("merge", fn)


def output_projection(fn: Any) -> Result:
    """Check a function `(merged [B, T, H*Dh], Wo [H*Dh, D]) -> [B, T, D]`."""
    from manyheads.check.run import check_function

    return check_function("output", fn)


def multi_head_attention(fn: Any) -> Result:
    """Check a function `(x [B, T, D], Wq, Wk, Wv, Wo, num_heads) -> [B, T, D]`."""
    from manyheads.check.run import check_function

    return check_function("mha", fn)


def clinic_merge(find_bug: Any) -> Result:
    """Check a bug finder `(candidate) -> bool`, True for a faulty `candidate(context)`."""
    from manyheads.check.run import check_bug_finder

    return check_bug_finder("merge.clinic", find_bug)


def answer(lesson: str, question: str, value: Any) -> Result:
    """Check the answer to a question, such as `answer("02_head_split", "quiz_1", "b")`."""
    from manyheads.check.run import check_answer

    return check_answer(lesson, question, value)


def progress(lesson: str) -> Progress | Result:
    """Show which questions of a lesson are answered in this session, and which is next."""
    from manyheads.check.run import check_progress

    return check_progress(lesson)
