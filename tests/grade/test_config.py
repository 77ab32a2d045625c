"""`nbgrader_config.py`: short, loadable wherever it lies, and naming parts that exist."""

from __future__ import annotations

import os
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from traitlets.config.loader import PyFileConfigLoader

from tests.grade.mini import REPOSITORY

CONFIG = REPOSITORY / "nbgrader_config.py"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The configuration as loaded in a course that holds nothing else."""
    monkeypatch.setenv("PATH", os.defpath)
    shutil.copy(CONFIG, tmp_path)
    return PyFileConfigLoader(CONFIG.name, path=str(tmp_path)).load_config()


def test_it_is_shorter_than_forty_lines() -> None:
    assert len(CONFIG.read_text(encoding="utf-8").splitlines()) < 40


def test_the_course_is_the_folder_that_holds_it(config: Any, tmp_path: Path) -> None:
    assert Path(config.CourseDirectory.root) == tmp_path.resolve()
    assert config.CourseDirectory.course_id == "manyheads"


def test_the_exchange_exists_in_the_course_once_loaded(config: Any, tmp_path: Path) -> None:
    assert Path(config.Exchange.root) == tmp_path.resolve() / "exchange"
    assert (tmp_path / "exchange").is_dir()


@pytest.mark.parametrize("place", ["cache", "assignment_dir"])
def test_nothing_of_the_exchange_lies_in_the_users_home(
    config: Any, tmp_path: Path, place: str
) -> None:
    assert Path(config.Exchange[place]).is_relative_to(tmp_path.resolve())


def test_programs_of_this_environment_are_found_without_activating_it(config: Any) -> None:
    assert config is not None
    assert os.environ["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)


def test_stubs_never_stop_run_all(config: Any) -> None:
    assert config.ClearSolutions.code_stub == {"python": "..."}
    assert config.ClearSolutions.text_stub == "*Write your answer here.*"


def test_a_committed_release_may_be_generated_again(config: Any) -> None:
    assert config.GenerateAssignment.force is True


def test_all_parts_it_names_exist(config: Any) -> None:
    named = [
        *config.Autograde.sanitize_preprocessors,
        *config.Autograde.autograde_preprocessors,
        *config.GenerateFeedback.preprocessors,
        config.GenerateFeedback.exporter_class,
    ]
    for name in named:
        module, part = name.rsplit(".", 1)
        assert isinstance(getattr(import_module(module), part), type), name
