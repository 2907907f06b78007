from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from assay.base import DAMAGED_STATE, ID_PATTERN, TomlFault, atomic_write, did_you_mean, read_toml_file
from assay.errors import AssayError, Problem, Refusal
from assay.models._reasons import UNKNOWN_STRATEGY
from assay.models._strategy import Strategy, StrategyProblems, WalkForward

DEFAULT = Strategy("ridge_default", "Ridge on features that each run names")


class StrategyBook:
    """The registered strategies: ``<slug>.toml`` in a folder, and ``ridge_default``.

    Parameters
    ----------
    folder : of the files; it may not exist yet. ``None``: there is only ``ridge_default``.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = None if folder is None else Path(folder)

    def slugs(self) -> tuple[str, ...]:
        """All slugs, sorted."""
        found = {DEFAULT.slug}
        if self._folder is not None and self._folder.is_dir():
            found |= {
                file.stem for file in self._folder.glob("*.toml") if re.fullmatch(ID_PATTERN, file.stem)
            }
        return tuple(sorted(found))

    def get(self, slug: str) -> Strategy:
        """The strategy of a slug.

        Raises
        ------
        Refusal
            ``unknown_strategy``; ``damaged_state``: its file cannot be read, or says what cannot be.
        """
        path = self._path(slug)
        if path is not None:
            try:
                return _strategy(slug, read_toml_file(path)[1])
            except (AssayError, OSError, TomlFault) as error:
                raise Refusal(
                    DAMAGED_STATE, f"the strategy {slug!r} cannot be read: {_said(error)}", where=slug
                ) from error
        if slug == DEFAULT.slug:
            return DEFAULT
        near = did_you_mean(slug, self.slugs())
        raise Refusal(
            UNKNOWN_STRATEGY,
            where="strategy",
            fix=f"did you mean {', '.join(near)}?" if near else None,
            details={"did_you_mean": list(near)},
        )

    def add(self, strategy: Strategy) -> Path:
        """Write a new strategy and give its file.

        Raises
        ------
        AssayError
            There is no folder, or a strategy has the slug already.
        """
        if self._folder is None:
            raise AssayError(
                "strategies need a workspace", where="strategy", fix="make one with 'assay init'"
            )
        path = self._folder / f"{strategy.slug}.toml"
        if path.exists() or strategy.slug == DEFAULT.slug:
            raise AssayError(
                f"there is a strategy {strategy.slug!r}", where="slug", fix="choose another slug"
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        atomic_write(path, strategy_toml(strategy))
        return path

    def _path(self, slug: str) -> Path | None:
        """The file of a slug, if there is one; what is no slug leads to no file."""
        if self._folder is None or not re.fullmatch(ID_PATTERN, slug):
            return None
        path = self._folder / f"{slug}.toml"
        return path if path.exists() else None


def strategy_toml(strategy: Strategy) -> str:
    """A strategy as its file says it."""
    lines = [
        f"title = {_text(strategy.title)}",
        f"model = {_text(strategy.model)}",
        f"features = [{', '.join(_text(name) for name in strategy.features)}]",
        f"target = {_text(strategy.target)}",
        f"seed = {strategy.seed}",
        "",
        "[cv]",
        *(f"{name} = {str(value).lower()}" for name, value in asdict(strategy.cv).items()),
    ]
    if strategy.parameters:
        lines += ["", "[parameters]", *(f"{name} = {value!r}" for name, value in strategy.parameters.items())]
    return "\n".join(lines) + "\n"


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'


def _said(error: AssayError | OSError | TomlFault) -> str:
    """What is wrong, without the path of the file."""
    if isinstance(error, AssayError):
        return error.message
    return f"it {error}" if isinstance(error, TomlFault) else error.strerror or type(error).__name__


def _strategy(slug: str, data: Mapping[str, Any]) -> Strategy:
    allowed = {item.name for item in fields(Strategy)} - {"slug"}
    timing = {item.name for item in fields(WalkForward)}
    cv, parameters = data.get("cv", {}), data.get("parameters", {})
    problems = [Problem(name, "is not a setting") for name in data if name not in allowed]
    for name, table in (("cv", cv), ("parameters", parameters)):
        if not isinstance(table, dict):
            problems.append(Problem(name, "is no table", f"write it below [{name}]"))
    if isinstance(cv, dict):
        problems += [Problem(f"cv.{name}", "is not a setting") for name in cv if name not in timing]
    if not isinstance(data.get("features", []), list):
        problems.append(Problem("features", "is no list", "give names of features"))
    if problems:
        raise StrategyProblems(problems, where=f"strategy {slug!r}")
    plain = {name: value for name, value in data.items() if name not in ("cv", "parameters", "features")}
    return Strategy(
        slug, **plain, features=tuple(data.get("features", ())), cv=WalkForward(**cv), parameters=parameters
    )
