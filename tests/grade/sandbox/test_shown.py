"""What a submission may put out in all is held outside of its process too."""

from __future__ import annotations

import pytest

from manyheads.grade.run.process import SHOWN, Clock, Process
from manyheads.grade.sandbox import Sandbox
from tests.grade.sandbox.conftest import text_of

pytestmark = pytest.mark.slow

LIFTED = """\
mine = get_ipython().outputs
mine.cell_bytes = mine.total_bytes = mine._total = 10 ** 12
"""
MORE = {
    "print": "print('y' * 9_000_000)",
    "display": "display({'text/plain': 'y' * 9_000_000}, raw=True)",
}


@pytest.mark.parametrize("more", MORE.values(), ids=MORE)
def test_a_process_that_lifts_its_own_caps_shows_no_more(sandbox: Sandbox, more: str) -> None:
    process = Process(sandbox, {}, Clock.start(sandbox.limits))
    try:
        process.run(LIFTED, draw=True)
        results = [process.run(LIFTED + more, draw=True) for _ in range(4)]
    finally:
        process.end()
    assert sum(one.size for one in results) < SHOWN * sandbox.limits.outputs_bytes + 10_000
    assert "output cut here: more than 8 MiB in one notebook" in text_of(results[-1])


def test_a_process_that_keeps_to_its_caps_loses_nothing(sandbox: Sandbox) -> None:
    process = Process(sandbox, {}, Clock.start(sandbox.limits))
    try:
        texts = [
            text_of(process.run("print('é\\n' * 300_000, end='')", draw=True)) for _ in range(8)
        ]
    finally:
        process.end()
    assert all(text == "é\n" * 300_000 for text in texts)
