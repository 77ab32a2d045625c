"""No attack is run before a harmless probe has shown that the sandbox holds."""

from __future__ import annotations

import pytest

from tests.hostile.classes import HELD, probe, refuse_without_sandbox


@pytest.fixture(scope="session")
def held(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Attacks may run here: they would reach nothing of this machine."""
    refuse_without_sandbox()
    seen = probe(tmp_path_factory.mktemp("probe"))
    if missing := [words for words in HELD if words not in seen]:
        pytest.fail(f"The sandbox does not hold, so no attack is run; not found: {missing}")
