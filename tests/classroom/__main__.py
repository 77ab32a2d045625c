"""`python -m tests.classroom DIR` writes the sample class as a course folder."""

from __future__ import annotations

import sys
from pathlib import Path

from manyheads.errors import ManyheadsError
from tests.classroom.make import make


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("Say where the sample class goes: python -m tests.classroom FOLDER")
    folder = Path(sys.argv[1])
    try:
        paths = make(folder)
    except ManyheadsError as error:
        sys.exit(str(error))
    print(f"{folder}: a sample class of {len(paths)} submissions")


if __name__ == "__main__":
    main()
