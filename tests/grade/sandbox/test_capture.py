"""What a cell puts out, as it is kept and capped."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from manyheads.grade.inside.capture import ERROR_BYTES, ERRORS, Outputs, Stream, plain_data


def outputs(cell_bytes: int = 100, total_bytes: int = 1000, most: int = 5) -> Outputs:
    made = Outputs(cell_bytes, total_bytes, most)
    made.begin()
    return made


def show(to: Outputs, text: str = "x", name: str | None = None, update: bool = False) -> None:
    to.show({"text/plain": text}, {}, name, update)


def test_consecutive_writes_to_one_stream_are_one_output() -> None:
    told = outputs()
    for name, text in [("stdout", "a"), ("stdout", "b"), ("stderr", "c"), ("stdout", "d")]:
        told.write(name, text)
    assert [(one["name"], one["text"]) for one in told.end()] == [
        ("stdout", "ab"),
        ("stderr", "c"),
        ("stdout", "d"),
    ]


def test_text_past_the_cap_is_cut_and_marked() -> None:
    told = outputs(cell_bytes=2048, total_bytes=10_000)
    told.write("stdout", "x" * 50_000_000)
    (stream,) = told.end()
    assert stream["text"] == "x" * 2048 + "\n... output cut here: more than 2 KiB\n"


def test_the_cap_counts_bytes_and_cuts_no_letter_in_two() -> None:
    told = outputs(cell_bytes=5)
    told.write("stdout", "ééé")
    assert told.end()[0]["text"].startswith("éé\n... output cut")


def test_outputs_past_the_count_are_marked_once() -> None:
    told = outputs(cell_bytes=500, most=3)
    for _ in range(10):
        show(told)
    kept = told.end()
    assert [one["output_type"] for one in kept] == ["display_data"] * 3 + ["stream"]
    assert kept[-1]["text"] == "... output cut here: more than 3 outputs\n"


def test_display_larger_than_what_is_left_is_marked() -> None:
    told = outputs()
    show(told, "y" * 200)
    assert told.end()[0]["text"] == "... output cut here: more than 100 bytes\n"


def test_what_a_submission_may_put_out_is_shared_by_its_cells() -> None:
    told = outputs(cell_bytes=100, total_bytes=150)
    told.write("stdout", "a" * 100)
    told.end()
    told.begin()
    told.write("stdout", "x" * 100)
    text = told.end()[0]["text"]
    assert text == "x" * 50 + "\n... output cut here: more than 150 bytes in one notebook\n"


def test_error_is_told_where_nothing_else_is_left_to_tell() -> None:
    told = outputs(cell_bytes=10)
    told.write("stdout", "a" * 11)
    told.error("ValueError", "no", ["line"])
    assert told.failed
    assert told.end()[-1]["ename"] == "ValueError"


def test_errors_are_capped_in_bytes_and_number() -> None:
    told = outputs()
    for _ in range(100):
        told.error("E" * 10_000, "v" * 10**6, ["t" * 10**6])
    kept = told.end()
    assert len(kept) == ERRORS
    assert len(kept[0]["traceback"][0]) < ERROR_BYTES + 100


def test_clear_output_forgets_and_frees() -> None:
    told = outputs(cell_bytes=10)
    told.write("stdout", "a" * 20)
    told.clear(wait=False)
    told.write("stdout", "b")
    assert [one["text"] for one in told.end()] == ["b"]


def test_waiting_clear_happens_when_something_comes() -> None:
    told = outputs()
    told.write("stdout", "a")
    told.clear(wait=True)
    assert told._list
    told.write("stdout", "b")
    assert [one["text"] for one in told.end()] == ["b"]


def test_update_replaces_what_was_shown_under_the_name() -> None:
    told = outputs()
    show(told, "old", "name")
    show(told, "new", "name", update=True)
    show(told, "lost", "another name", update=True)
    assert [one["data"]["text/plain"] for one in told.end()] == ["new"]


def test_nothing_is_taken_in_between_cells() -> None:
    told = outputs()
    told.end()
    told.write("stdout", "a thread of an earlier cell")
    told.clear(wait=False)
    told.begin()
    assert told.end() == []


@pytest.mark.parametrize(
    "act", [lambda out: show(out), lambda out: out.write("stdout", "x")], ids=["show", "write"]
)
def test_a_million_outputs_past_the_cap_cost_little(act: Callable[[Outputs], None]) -> None:
    told = outputs()
    told.write("stdout", "x" * 1000)
    started = time.process_time()
    for _ in range(100_000):
        act(told)
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    ("bundle", "plain"),
    [
        ({"image/png": b"PNG"}, {"image/png": "UE5H"}),
        ({"application/json": {"a": (1, 2)}}, {"application/json": {"a": [1, 2]}}),
        ({"application/json": float("nan")}, {"application/json": "NaN"}),
    ],
)
def test_display_data_becomes_what_json_can_hold(
    bundle: dict[str, object], plain: dict[str, object]
) -> None:
    assert plain_data(bundle) == plain


def test_display_data_that_json_cannot_hold_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="set is not something that JSON can hold"):
        plain_data({"application/json": {1}})


def test_stream_takes_text_only() -> None:
    stream = Stream("stdout", outputs(), 1)
    assert stream.write("abc") == 3
    with pytest.raises(TypeError, match="must be str"):
        stream.write(b"abc")  # type: ignore[arg-type]
