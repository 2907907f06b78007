"""The ``assay`` command: translates arguments to calls and errors to exit codes; it decides nothing.

Exit codes: 0 done, 1 declined or judged and rejected where a command says so, 2 bad input, 3 an outside
service failed, 70 an error inside Assay, 130 interrupted, 141 the reader of the output went away, 143 ended
by SIGTERM.
"""

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; see :func:`assay.cli._main.main`."""
    try:
        # the imports take long enough to be interrupted
        from assay.cli._main import main as run

        return run(argv)
    except KeyboardInterrupt:
        sys.stderr.write("\ninterrupted\n")
        return 130
