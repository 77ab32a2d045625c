"""Student code where there is no sandbox, or where forking is unsafe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from manyheads.grade.sandbox import Sandbox, StudentEnded, missing, processes
from manyheads.grade.sandbox.launch import Launched
from tests.grade.alive import alive
from tests.grade.sandbox.conftest import LIMITS, error_of, text_of

pytestmark = pytest.mark.slow


@pytest.fixture(params=["open", "open, fresh", "isolated, fresh"])
def made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    if "isolated" in request.param and missing():
        pytest.skip(str(missing()))
    if "fresh" in request.param:
        monkeypatch.setattr(Launched, "wait_ready", threaded(Launched.wait_ready))
    with Sandbox(LIMITS, isolated="isolated" in request.param) as sandbox:
        yield sandbox


def threaded(wait_ready: object) -> object:
    """What a template says whose libraries have started threads."""

    def wait(self: Launched) -> int:
        return max(wait_ready(self), 3)  # type: ignore[operator]

    return wait


def test_cells_files_exams_and_endings_are_the_same(made: Sandbox) -> None:
    for number in ("1", "2"):
        with made.start({"a.txt": number.encode()}) as student:
            source = "x = open('a.txt').read(); print(x)\ndef f(): return x"
            assert text_of(student.run_cell(source, draw=False)) == f"{number}\n"
            with student.exam() as exam:
                assert exam.peer.value("f")() == number
            with pytest.raises(StudentEnded, match=r"ran longer than 0.3 s"):
                student.run_cell("while True: pass", draw=False, seconds=0.3)


def test_memory_is_limited(made: Sandbox) -> None:
    with made.start() as student:
        assert error_of(student.run_cell("bytearray(2**31)", draw=False)) == "MemoryError"


def test_files_are_removed(made: Sandbox) -> None:
    with made.start({"a.txt": b""}) as student:
        home = text_of(student.run_cell("import os; print(os.getcwd())", draw=False)).strip()
    assert not Path(home).exists()


def test_a_fresh_process_each_is_noted(made: Sandbox) -> None:
    with made.start():
        forks = made._forks
    words = ["forking was unsafe (3 threads): each submission got a fresh process"]
    assert made.notes == ([] if forks else words)


def test_what_a_process_started_ends_with_it() -> None:
    with Sandbox(LIMITS, isolated=False) as sandbox, sandbox.start() as student:
        source = "import subprocess, time; subprocess.Popen('{}', shell=True); time.sleep(0.5)"
        student.run_cell(source.format("setsid sleep 1000 & setsid sleep 1001 &"), draw=False)
        assert sandbox._template is not None
        pids = processes.family(sandbox._template.process.pid)[1:]
        assert len(pids) >= 3  # itself and two that lost their parent
        student.close()
        assert not alive(pids)


def test_template_that_died_is_replaced(sandbox: Sandbox) -> None:
    with Sandbox(LIMITS, isolated=sandbox.isolated) as own:
        own.start().close()
        assert own._template is not None
        own._template.process.kill()
        own._template.process.wait()
        with own.start() as student:
            assert text_of(student.run_cell("1", draw=False)) == "1"


def test_template_that_does_not_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from manyheads.errors import SandboxError
    from manyheads.grade.sandbox import bubblewrap

    broken = {**bubblewrap.environment(), "PYTHONHASHSEED": "no number"}
    monkeypatch.setattr(bubblewrap, "environment", lambda: broken)
    with (
        Sandbox(LIMITS, isolated=False) as sandbox,
        pytest.raises(SandboxError, match=r"did not start: .*PYTHONHASHSEED.*manyheads doctor"),
    ):
        sandbox.start()
