"""Rewrite requirements.lock and environment.yml from what is installed in the running environment.

Run it with the environment's own Python: `.venv/bin/python tools/lock.py`.
"""

from __future__ import annotations

from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOT_LOCKED = {"manyheads", "pip", "setuptools", "wheel"}

LOCK_HEAD = "# Exact versions that `make` installs. Written by tools/lock.py.\n"
ENVIRONMENT_HEAD = """\
# The versions of requirements.lock, for conda. Written by tools/lock.py.
#     conda env create -f environment.yml && conda activate manyheads
name: manyheads
channels:
  - conda-forge
dependencies:
  - python=3.11
  - pip
  - pip:
"""


def installed() -> list[str]:
    """Every installed distribution as `name==version`, sorted, without its local version label.

    A label such as `+cpu` names one machine's build; the lock serves all of them.
    """
    pins = {dist.name: dist.version.partition("+")[0] for dist in distributions()}
    wanted = (name for name in pins if name.lower() not in NOT_LOCKED)
    return [f"{name}=={pins[name]}" for name in sorted(wanted, key=str.lower)]


def lock_text(pins: list[str]) -> str:
    """The text of requirements.lock."""
    return LOCK_HEAD + "".join(f"{pin}\n" for pin in pins)


def environment_text(pins: list[str]) -> str:
    """The text of environment.yml."""
    return ENVIRONMENT_HEAD + "".join(f"      - {pin}\n" for pin in [*pins, "-e .[instructors]"])


def main() -> None:
    """Write both files."""
    pins = installed()
    for name, text in (
        ("requirements.lock", lock_text(pins)),
        ("environment.yml", environment_text(pins)),
    ):
        (ROOT / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
