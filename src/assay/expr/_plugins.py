"""What installed packages add, one entry point at a time, so that a broken one is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint
from typing import TypeVar

from assay.errors import AssayError, ConfigProblems

T = TypeVar("T")


def load_plugins(
    points: Iterable[EntryPoint], kind: type[T], what: str
) -> Iterator[tuple[EntryPoint, list[T]]]:
    """What each entry point names: one object of a kind, or a sequence of them.

    Parameters
    ----------
    what : the plural used in messages, ``ops`` or ``fields``.

    Raises
    ------
    AssayError
        A package cannot be loaded, or gives something else.
    """
    for point in points:
        try:
            loaded = point.load()
        except Exception as error:
            raise plugin_error(point, what, str(error) or type(error).__name__) from error
        listed = list(loaded) if isinstance(loaded, list | tuple) else [loaded]
        for item in listed:
            if not isinstance(item, kind):
                message = f"it gives an object of type {type(item).__name__}, {kind.__name__} is needed"
                raise plugin_error(point, what, message)
        yield point, listed


def plugin_error(point: EntryPoint, what: str, message: str) -> AssayError:
    """The error that names the package of an entry point."""
    dist = getattr(point, "dist", None)
    package = point.name if dist is None else dist.name
    return AssayError(
        f"the {what} of package {package} could not be loaded: {message}",
        where=f"entry point {point.name} = {point.value} of group {point.group}",
        fix=f"mend or uninstall {package}",
    )


def listed_problems(error: ConfigProblems) -> str:
    """The problems of a plug-in in one line."""
    return "; ".join(f"{p.where}: {p.message}" + (f" ({p.fix})" if p.fix else "") for p in error.problems)
