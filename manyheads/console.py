"""Where the command line prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rich.console import Console


def console() -> Console:
    """Where results go; plain text, not folded at a guessed width, when that is not a terminal."""
    from rich.console import Console

    screen = Console(highlight=False, markup=False, emoji=False)
    return (
        screen
        if screen.is_terminal
        else Console(highlight=False, markup=False, emoji=False, width=160)
    )


def say(*lines: object) -> None:
    """Print lines of text as they are."""
    for line in lines:
        typer.echo(str(line))
