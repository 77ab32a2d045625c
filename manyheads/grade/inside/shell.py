"""IPython's shell without a kernel: it runs cells and keeps what they put out."""

from __future__ import annotations

import builtins
import codecs
import getpass
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from IPython.core import displayhook, formatters, interactiveshell
from IPython.core.error import StdinNotImplementedError
from traitlets import Type
from traitlets.config import Config

from manyheads.grade.inside import figures
from manyheads.grade.inside.capture import Output, Outputs, Publisher, plain_data
from manyheads.grade.inside.special import is_special

NO_INPUT = (
    "{}() asks a person, and nobody is there while a notebook is graded. "
    "Put the value into the cell instead."
)
EXIT_NOTE = "exit() ends a notebook's kernel. While grading it is skipped and the cells go on.\n"
WINDOWS = ("qt", "tk", "gtk", "wx", "osx", "macosx", "widget", "ipympl", "nbagg", "notebook")
WINDOW_NOTE = "%matplotlib {}: there is no window while grading; figures are drawn inline.\n"


# IPython's types are for some of its parts only.
DisplayFormatter: Any = formatters.DisplayFormatter
DisplayHook: Any = displayhook.DisplayHook
InteractiveShell: Any = interactiveshell.InteractiveShell


class Formatter(DisplayFormatter):  # type: ignore[misc]
    """Makes an object's representations; only plain text where nothing is drawn."""

    outputs: Outputs
    draw = True

    def format(self, obj: Any, include: Any = None, exclude: Any = None) -> tuple[Output, Output]:
        """The representations by MIME type, and their metadata."""
        if self.outputs.full:
            return {}, {}  # a million displays past the cap must cost almost nothing
        if self.draw:
            return super().format(obj, include=include, exclude=exclude)  # type: ignore[no-any-return]
        if self.ipython_display_formatter(obj):
            return {}, {}
        text = self.formatters["text/plain"](obj)
        return ({} if text is None else {"text/plain": text}), {}


class ResultHook(DisplayHook):  # type: ignore[misc]
    """Keeps the value of a cell's last expression as its result."""

    def write_output_prompt(self) -> None:
        """Write no prompt: the count is in the result."""

    def write_format_data(self, format_dict: Output, md_dict: Output | None = None) -> None:
        """Keep the result."""
        data, metadata = plain_data(format_dict), plain_data(md_dict or {})
        self.shell.outputs.show_result(data, metadata, self.prompt_count)

    def log_output(self, format_dict: Output) -> None:
        """Keep no second copy."""

    def finish_displayhook(self) -> None:
        """End the result."""
        self._is_active = False


class Shell(InteractiveShell):  # type: ignore[misc]
    """Runs cells as a notebook's kernel would; see `run`.

    outputs: where everything goes that a cell puts out
    """

    displayhook_class = Type(ResultHook)
    display_pub_class = Type(Publisher)
    outputs: Outputs

    def __init__(self, outputs: Outputs) -> None:
        self.outputs = outputs
        config = Config()
        config.HistoryManager.enabled = False  # a database, and a thread that writes it
        super().__init__(config=config)
        self.display_pub.outputs = outputs
        builtins.input = _no_input("input")
        getpass.getpass = _no_input("getpass")
        figures.adopt(self)
        self._own = self._transforms()
        self._new = dict(self.user_ns)

    def init_display_formatter(self) -> None:
        """Use the formatter that can leave out what nobody will see."""
        self.display_formatter = Formatter(parent=self)
        self.display_formatter.outputs = self.outputs
        self.configurables.append(self.display_formatter)

    def init_hooks(self) -> None:
        """Show no pager: a kernel's goes to the page, not into the outputs."""
        super().init_hooks()
        self.set_hook("show_in_pager", lambda *_, **__: None, 99)

    def init_virtualenv(self) -> None:
        """Look for no other environment than this one."""

    def run(
        self, source: str, draw: bool, at_end: Callable[[], None] = lambda: None
    ) -> dict[str, Any]:
        """Run one cell; its outputs, execution count, and whether it failed.

        draw: whether figures and rich representations are made
        at_end: called when the cell has run and its outputs are still taken in
        """
        self.outputs.begin()
        self.display_formatter.draw = draw
        error: BaseException | None = None
        try:
            result = self.run_cell(source, store_history=True)
            error = result.error_before_exec or result.error_in_exec
        except BaseException as left_over:  # a hook of the student's, say
            error = left_over
        if error is not None and not self.outputs.failed:
            # As nbgrader: what ended the cell is told even where IPython has no traceback for it.
            self.outputs.error(type(error).__name__, _text(error), [])
        at_end()
        failed = self.outputs.failed
        count = self.execution_count - 1
        return {"outputs": self.outputs.end(), "execution_count": count, "failed": failed}

    def transform_cell(self, raw_cell: str) -> str:
        """The Python of a cell; one that has nothing of IPython's is not searched for it.

        A line alone may be a magic without its sign, and a student may have set transformations.
        """
        if (
            "\n" in raw_cell.strip()
            and not is_special(raw_cell)
            and self._transforms() == self._own
        ):
            return raw_cell if raw_cell.endswith("\n") else f"{raw_cell}\n"
        python: str = super().transform_cell(raw_cell)
        return python

    def should_run_async(self, raw_cell: str, *, transformed_cell: str, **told: Any) -> bool:
        """Whether a cell awaits something; one without these words is not compiled to find out."""
        text = transformed_cell
        if text.isascii() and "await" not in text and "async" not in text:
            return False
        return bool(super().should_run_async(raw_cell, transformed_cell=text, **told))

    def _transforms(self) -> list[Any]:
        made = self.input_transformer_manager
        steps = (made.cleanup_transforms, made.line_transforms, made.token_transformers)
        return [
            made.transform_cell,
            *(list(step) for step in (*steps, self.input_transformers_post)),
        ]

    def forget(self) -> None:
        """Be as if no cell had been run."""
        self.reset()
        for name, value in self._new.items():
            self.user_ns.setdefault(name, value)
        self.displayhook._ = self.displayhook.__ = self.displayhook.___ = ""
        for name in ("_i", "_ii", "_iii", "_i00"):
            setattr(self.history_manager, name, "")
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            vars(sys).pop(name, None)
        self.outputs.renew()

    def _format_exception_for_storage(self, exception: Any, *_: Any, **__: Any) -> dict[str, Any]:
        """Make no second traceback: nobody will ask for the history of exceptions."""
        return {"ename": type(exception).__name__, "evalue": _text(exception), "traceback": []}

    def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
        self.outputs.error(str(etype.__name__), _text(evalue), [str(line) for line in stb])

    def ask_exit(self) -> None:
        """Say that `exit` is skipped."""
        self.outputs.write("stderr", EXIT_NOTE)

    def enable_gui(self, gui: Any = None) -> None:
        """Start no window system: there is none."""

    def enable_matplotlib(self, gui: Any = None) -> Any:
        """Draw inline whatever window was asked for."""
        if isinstance(gui, str) and gui.lower().startswith(WINDOWS):
            self.outputs.write("stderr", WINDOW_NOTE.format(gui))
            gui = "inline"
        return super().enable_matplotlib(gui)

    def system_piped(self, cmd: str) -> None:
        """Run a shell command without a terminal; what it says is the cell's output."""
        if cmd.rstrip().endswith("&"):
            raise OSError("Background processes not supported.")
        command = self.var_expand(cmd, depth=1)
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        with subprocess.Popen(  # noqa: S602 - a cell's `!command` is a shell's line
            command,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            if process.stdout is not None:
                while chunk := process.stdout.read1():  # type: ignore[attr-defined]
                    sys.stdout.write(decode(chunk))
        self.user_ns["_exit_code"] = process.returncode
        if self.system_raise_on_error and process.returncode:
            raise subprocess.CalledProcessError(process.returncode, cmd)

    system = system_piped


def _no_input(name: str) -> Callable[..., str]:
    def refuse(*_: Any, **__: Any) -> str:
        __tracebackhide__ = True
        raise StdinNotImplementedError(NO_INPUT.format(name))

    refuse.__name__ = name
    return refuse


def _text(error: BaseException) -> str:
    """An exception's words, whatever its class does when asked."""
    try:
        return str.__str__(str(error))
    except BaseException as broken:
        return f"<{type(broken).__name__} while its words were asked for>"
