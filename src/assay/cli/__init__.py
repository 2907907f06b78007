"""The ``assay`` command: translates arguments to calls and errors to exit codes; it decides nothing.

Exit codes: 0 done, 1 declined or judged and rejected where a command says so, 2 bad input, 3 an outside
service failed, 70 an error inside Assay, 130 interrupted, 141 the reader of the output went away.
"""

from assay.cli._main import main

__all__ = ["main"]
