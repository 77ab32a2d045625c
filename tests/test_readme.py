"""The README's commands, run as written, in a copy of nothing but the repository's files."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

# What each command must print; the tests below run every one of these and no other.
QUICK = {
    ".venv/bin/manyheads status": "02_head_split",
    ".venv/bin/manyheads check 02": "hidden tests run at grading",
    ".venv/bin/manyheads submit 02 --as s01": "submitted/s01/02_head_split",
    ".venv/bin/manyheads reset 02": "fresh copy",
    ".venv/bin/manyheads doctor": "python",
    ".venv/bin/manyheads bundle": "manyheads-students.zip",
}
EXIT_ONE = {".venv/bin/manyheads check 02"}  # nothing is answered yet
ELSEWHERE = {
    "make lab": "the fixture below",
    "make test": "this run",
    "make site": "tests/site",
    "make grade": "its own test",
    ".venv/bin/manyheads bank": "tests/teach",
    "make help": "tests/tools",
    "make check": "its parts run here and in CI",
    "py -3.11 -m venv .venv": "the set-up's first step, on Windows",
    r".venv\Scripts\python -m pip install -c requirements.lock -e .": "its own test",
    r".venv\Scripts\manyheads lab": "make lab, on Windows",
}


def commands() -> set[str]:
    """Everything in the README that a reader would type: indented lines and code in the text."""
    lines = re.findall(r"^    (\S.*?)(?:  +#.*)?$", README, re.MULTILINE)
    inline = re.findall(r"`((?:make |\.venv/bin/)[^`]+)`", README)
    return {command.strip() for command in (*lines, *inline)}


def test_every_command_of_the_readme_is_run_by_a_test():
    assert commands() - {".venv/bin/manyheads grade", ".venv/bin/jupyter lab"} == {
        *QUICK,
        *ELSEWHERE,
    }


def test_windows_installs_what_make_lab_installs():
    setup = (ROOT / "tools/setup.sh").read_text(encoding="utf-8")
    assert "-m pip install -qq --disable-pip-version-check -c requirements.lock -e" in setup
    assert 'students) extra="."' in setup


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository's files in an empty folder, after `make lab` has opened and been stopped."""
    root = tmp_path_factory.mktemp("readme") / "many heads"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, root / name)
    lab(root)
    return root


def lab(root: Path) -> float:
    """Run `make lab` until it prints its address; returns the seconds that took."""
    log, start = root.parent / "lab.log", time.monotonic()
    environment = {key: value for key, value in os.environ.items() if key != "DISPLAY"}
    with log.open("w") as out:
        make = subprocess.Popen(
            ["make", "lab"],
            cwd=root,
            env=environment,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        while "token=" not in log.read_text() and make.poll() is None:
            assert time.monotonic() - start < 900, log.read_text()
            time.sleep(0.2)
        assert "/lab/tree/0" in log.read_text(), log.read_text()
    finally:
        os.killpg(make.pid, signal.SIGTERM)
        make.wait(timeout=60)
    return time.monotonic() - start


def in_a_fresh_copy(test):
    """Mark a test as slow: the first one sets the copy up."""
    return pytest.mark.slow(pytest.mark.timeout(1200)(test))


def run(command: str, root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command.split(), cwd=root, capture_output=True, text=True, timeout=600, check=False
    )


@in_a_fresh_copy
@pytest.mark.parametrize("command", QUICK)
def test_a_command_does_what_the_readme_says(fresh: Path, command: str):
    done = run(command, fresh)
    assert done.returncode == (1 if command in EXIT_ONE else 0), done.stdout + done.stderr
    assert QUICK[command].lower() in done.stdout.lower()
    assert "Traceback" not in done.stderr


@in_a_fresh_copy
def test_a_second_make_lab_keeps_what_the_student_wrote(fresh: Path):
    work = fresh / "work/02_head_split/02_head_split.ipynb"
    written = work.read_text(encoding="utf-8").replace("From lesson 01.", "My own note.")
    work.write_text(written, encoding="utf-8")
    lab(fresh)
    assert work.read_text(encoding="utf-8") == written


@in_a_fresh_copy
def test_make_grade_shows_the_sample_class(fresh: Path):
    done = run("make grade", fresh)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "s01" in done.stdout
    assert (fresh / "sample-class/grades.csv").is_file()
    assert list((fresh / "sample-class/feedback").glob("s01/*/*.html"))


def test_the_readme_counts_the_bank_as_the_assessment_does():
    assessment = (ROOT / "docs/assessment.md").read_text(encoding="utf-8")
    total = next(line for line in assessment.splitlines() if line.startswith("| **all**"))
    wrong, right = re.findall(r"\*\*(\d+) / \d+\*\*", total)
    assert f"on {int(wrong):,} wrong and {int(right):,} right answers" in README.replace("\n", " ")
