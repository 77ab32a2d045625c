"""Pinned versions agree wherever they are written."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
PIN = re.compile(r"([A-Za-z0-9._-]+)==([A-Za-z0-9.!+_-]+)")


def pins(lines: list[str]) -> dict[str, str]:
    """Canonical name and version of every line; a line that is no exact pin is an error."""
    found = [PIN.fullmatch(line) for line in lines]
    assert all(found), [line for line, match in zip(lines, found, strict=True) if not match]
    return {canonicalize_name(match[1]): match[2] for match in found if match}


def locked() -> dict[str, str]:
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return pins([line for line in lines if not line.startswith("#")])


def conda() -> dict[str, object]:
    return dict(yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8")))


def declared() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    lines = [*project["dependencies"], *(line for extra in extras for line in extra)]
    return [need for need in map(Requirement, lines) if need.name != "manyheads"]


def pip_lines() -> list[str]:
    (group,) = [entry["pip"] for entry in conda()["dependencies"] if isinstance(entry, dict)]
    return list(group)


def test_conda_has_the_locked_names_and_versions_and_no_others() -> None:
    *packages, course = pip_lines()
    assert pins(packages) == locked()
    assert course == "-e .[instructors]"


def test_conda_has_a_python_the_project_allows() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (python,) = [entry for entry in conda()["dependencies"] if str(entry).startswith("python=")]
    assert (
        Version(python.partition("=")[2]) in Requirement(f"x{project['requires-python']}").specifier
    )


@pytest.mark.parametrize("need", declared(), ids=lambda need: need.name)
def test_direct_dependency_is_locked_inside_its_range(need: Requirement) -> None:
    version = locked()[canonicalize_name(need.name)]
    assert need.specifier.contains(version), f"{version} is not {need.specifier}"


def test_torch_is_pinned_without_a_build_label() -> None:
    assert locked()["torch"] == "2.13.0"


def test_lock_holds_no_build_labels() -> None:
    assert not [name for name, version in locked().items() if "+" in version]


def test_both_files_are_what_the_tool_writes() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "lock.py"))
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()[1:]
    for name, text in (("requirements.lock", "lock_text"), ("environment.yml", "environment_text")):
        assert (ROOT / name).read_text(encoding="utf-8") == tool[text](lines)


def test_tool_leaves_labels_and_the_course_itself_out() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "lock.py"))
    found = pins(tool["installed"]())
    assert "torch" in found
    assert not {"manyheads", "pip", "setuptools"} & set(found)
    assert not [version for version in found.values() if "+" in version]
