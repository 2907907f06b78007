from __future__ import annotations

import errno
import gc
import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import typer

from assay.cli._app import build_app
from assay.cli._output import print_json, printable
from assay.errors import AssayError, ExpressionError, ProviderError

BAD_INPUT = 2
OUTSIDE_FAILURE = 3
INTERNAL_ERROR = 70
INTERRUPTED = 130
READER_GONE = 141
TERMINATED = 143

_OUTPUT_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)

# typer hands out BadParameter but not its base, which is what every usage error is an instance of
_UsageError: Any = typer.BadParameter.__base__


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; the only place where errors become messages.

    Parameters
    ----------
    argv : the arguments after the program's name; those of the process when not given.
    """
    arguments = _formulas_as_arguments(sys.argv[1:] if argv is None else argv) or ["--help"]
    _stand_in_for_closed()
    _replace_unprintable()
    as_json = _wants_json(arguments)
    try:
        with _collecting_seldom(), _terminable() as termination:
            code = _guarded(lambda: _run(arguments), as_json=as_json, termination=termination)
        sys.stdout.flush()
    except BrokenPipeError:
        return _reader_gone()
    except OSError as error:
        # what else _guarded lets through: standard output cannot take what is written to it
        _drop_output()
        report(_outside(error, "standard output"), as_json=False)
        return BAD_INPUT
    return code


def _run(arguments: list[str]) -> int:
    command = typer.main.get_command(build_app())
    result = command.main(args=arguments, prog_name="assay", standalone_mode=False)
    if result == INTERRUPTED:
        raise KeyboardInterrupt  # typer makes this code of it, and says nothing
    return result if isinstance(result, int) else 0


@dataclass(slots=True)
class _Termination:
    """Whether SIGTERM came."""

    came: bool = False


@contextmanager
def _terminable() -> Iterator[_Termination]:
    """Make of SIGTERM an interruption, by which every run records that it was stopped.

    The first one unwinds the command, further ones change nothing. A host that handles the signal itself, and
    a thread that may not handle any, are left alone.
    """
    termination = _Termination()
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield termination
        return

    def stop(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        termination.came = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    try:
        yield termination
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Collect garbage after more objects than usual: imports make many and none of them is garbage.

    At Python's own thresholds the collector takes a tenth of a short command's time.
    """
    usual = gc.get_threshold()
    gc.set_threshold(50_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _guarded(action: Callable[[], int], *, as_json: bool, termination: _Termination) -> int:
    try:
        return action()
    except _UsageError as error:
        return _usage(error, as_json=as_json)
    except AssayError as error:
        report(error, as_json=as_json)
        return OUTSIDE_FAILURE if isinstance(error, ProviderError) else BAD_INPUT
    except typer.Exit as stop:
        return stop.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return _interrupted(terminated=termination.came)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None and error.errno in _OUTPUT_FAULTS:
            raise
        if isinstance(error, FileNotFoundError) and error.filename is None:
            # what os.getcwd says in a folder that was removed
            lost = AssayError(
                "the current folder no longer exists", where="current folder", fix="change to another"
            )
            report(lost, as_json=as_json)
            return BAD_INPUT
        if error.filename is None:
            return _fault(error, as_json=as_json)
        report(_outside(error, str(error.filename)), as_json=as_json)
        return BAD_INPUT
    except Exception as error:  # noqa: BLE001 - the one boundary: a fault becomes a message, not a traceback
        return _fault(error, as_json=as_json)


def _interrupted(*, terminated: bool) -> int:
    why = "stopped: the process was asked to end (SIGTERM)" if terminated else "interrupted"
    sys.stderr.write(f"\n{why}\n")
    return TERMINATED if terminated else INTERRUPTED


def _fault(error: Exception, *, as_json: bool) -> int:
    if os.environ.get("ASSAY_DEBUG") == "1":
        traceback.print_exc()
    _report_bug(error, as_json=as_json)
    return INTERNAL_ERROR


def _outside(error: OSError, where: str) -> AssayError:
    """What the operating system refused: a path too long, a full disk, a closed folder."""
    fix = "check the path, its permissions, and the space on the disk"
    return AssayError(f"{error.strerror or error}", where=where, fix=fix)


class UsageProblem(AssayError):
    """The command line itself is not understood."""

    kind = "usage"


def _usage(error: Any, *, as_json: bool) -> int:
    context, message = error.ctx, error.format_message()
    if context is not None and message == context.get_help():
        # a group of commands was named and none of them: typer raises the help it would have shown
        sys.stdout.write(message + "\n")
        return 0
    usage = None if context is None else context.get_usage()
    path = "assay" if context is None else context.command_path
    report(UsageProblem(message, where=usage, fix=f"see '{path} --help'"), as_json=as_json)
    return BAD_INPUT


def report(error: AssayError, *, as_json: bool) -> None:
    """Say what is wrong, where, and what to do: JSON on standard output, or text on standard error."""
    if as_json:
        print_json(error.as_dict())
        return
    lines = [f"error: {error.message}"]
    if isinstance(error, ExpressionError):
        lines += [f"  {line}" for line in error.pointer().splitlines()]
    if error.where:
        lines.append(f"  where: {error.where}")
    if isinstance(error, ExpressionError) and error.expected:
        lines.append(f"  expected: {', '.join(error.expected)}")
    if isinstance(error, ExpressionError) and error.suggestions:
        lines.append(f"  did you mean: {', '.join(error.suggestions)}")
    if error.fix:
        lines.append(f"  what to do: {error.fix}")
    sys.stderr.write("\n".join(printable(line) for line in lines) + "\n")


def _report_bug(error: Exception, *, as_json: bool) -> None:
    what = f"{type(error).__name__}: {error}"[:300]
    fix = (
        "this is a fault in Assay, not in your input; please report it with the command that you ran, "
        "and set ASSAY_DEBUG=1 for the full traceback"
    )
    if as_json:
        print_json({"error": "internal", "message": what, "where": None, "fix": fix})
    else:
        sys.stderr.write(f"internal error: {printable(what)}\n  what to do: {fix}\n")


def _formulas_as_arguments(arguments: Sequence[str]) -> list[str]:
    """A formula may begin with a minus: a space before it keeps it from being read as an option.

    Assay has no option of one dash and more than one letter.
    """
    return [f" {item}" if re.match(r"-[^-]", item) and len(item) > 2 else item for item in arguments]


def _wants_json(arguments: Sequence[str]) -> bool:
    before_separator = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in before_separator


def _stand_in_for_closed() -> None:
    """A stream that the caller closed (``assay ... >&-``) is None: what is written to it goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - open till the end


def _replace_unprintable() -> None:
    """A terminal that cannot show a character gets a replacement instead of an error."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _reader_gone() -> int:
    """The reader of standard output is gone (``assay ... | head``)."""
    _drop_output()
    return READER_GONE


def _drop_output() -> None:
    """Point standard output elsewhere, or the interpreter's exit would complain of it."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)
