"""The state that all code of a process shares: the same before every test, restored after it."""

from __future__ import annotations

import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

SEED = 0
# The dictionary behind os.environ, which takes 30 times as long to read.
_ENVIRONMENT: Mapping[Any, Any] = getattr(os.environ, "_data", os.environ)


@contextmanager
def restored(folder: str = "") -> Iterator[None]:
    """Seed the global generators, keep torch to one thread; put back afterwards what was changed.

    That is: torch's default dtype, gradient mode and threads, NumPy's error handling and print
    options, `sys.path`, the environment, the working folder and the filters of warnings. Only
    libraries that are loaded already are looked at. Modules in `folder` can be imported inside, and
    are forgotten afterwards: other lessons may have others of that name.

    >>> with restored():
    ...     os.environ["HEADS"] = "3"
    >>> "HEADS" in os.environ
    False
    """
    put_back = [*_python(), *_numpy(), *_torch(), *_modules(folder)]
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        _prepare()
        sys.path += [folder] if folder else []
        try:
            yield
        finally:
            for step in put_back:
                with suppress(Exception):  # one thing that can't be put back must not keep the rest
                    step()


@contextmanager
def generators_kept() -> Iterator[None]:
    """Leave the global generators afterwards as they were; they are seeded for every test inside.

    >>> before = random.getstate()
    >>> with generators_kept(), restored():
    ...     _ = random.random()
    >>> random.getstate() == before
    True
    """
    drawn = random.getstate()
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    of_numpy = numpy.random.get_state() if numpy else None
    of_torch = torch.get_rng_state() if torch else None
    try:
        yield
    finally:
        random.setstate(drawn)
        if numpy:
            numpy.random.set_state(of_numpy)
        if torch:
            torch.set_rng_state(of_torch)


def _prepare() -> None:
    random.seed(SEED)
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed(SEED)
    if (torch := sys.modules.get("torch")) is not None:
        torch.default_generator.manual_seed(SEED)  # torch.manual_seed looks for GPUs: 1 ms
        if torch.get_num_threads() > 1:
            torch.set_num_threads(
                1
            )  # tests compute little; a second thread waits more than it works


def _python() -> Iterator[Callable[[], Any]]:
    path, environment, folder = list(sys.path), dict(_ENVIRONMENT), os.getcwd()  # noqa: PTH109 - quick
    yield lambda: sys.path.__setitem__(slice(None), path)
    yield lambda: _restore_environment(environment)
    yield lambda: os.chdir(folder)


def _modules(folder: str) -> Iterator[Callable[[], Any]]:
    if folder:
        yield lambda: [sys.modules.pop(name) for name in _lying_in(folder)]


def _lying_in(folder: str) -> list[str]:
    """The names of loaded modules whose files lie in a folder."""
    loaded = list(sys.modules.items())
    return [
        name for name, module in loaded if str(getattr(module, "__file__", "")).startswith(folder)
    ]


def _restore_environment(before: dict[Any, Any]) -> None:
    if before != dict(_ENVIRONMENT):
        os.environ.clear()
        os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in before.items()})


def _numpy() -> Iterator[Callable[[], Any]]:
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        errors, printed = numpy.geterr(), numpy.get_printoptions()
        yield lambda: numpy.geterr() != errors and numpy.seterr(**errors)
        # Setting them takes ten times as long as looking at them.
        yield lambda: numpy.get_printoptions() != printed and numpy.set_printoptions(**printed)


def _torch() -> Iterator[Callable[[], Any]]:
    torch = sys.modules.get("torch")
    if torch is not None:
        dtype, gradients = torch.get_default_dtype(), torch.is_grad_enabled()
        threads = torch.get_num_threads()
        yield lambda: torch.set_default_dtype(dtype)
        yield lambda: torch.set_grad_enabled(gradients)
        yield lambda: threads != torch.get_num_threads() and torch.set_num_threads(threads)
