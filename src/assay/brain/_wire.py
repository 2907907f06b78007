"""What a platform answers."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from assay.brain._settings import SimulationSettings, Wire

SimulationStatus = Literal[
    "WAITING", "SIMULATING", "CANCELLED", "COMPLETE", "WARNING", "ERROR", "TIMEOUT", "FAIL"
]
CheckResult = Literal["PASS", "FAIL", "WARNING", "PENDING", "ERROR"]


class Place(Wire):
    """Where in an expression an error is: line from 1, characters ``start`` to ``end`` from 0 within it."""

    line: int = 1
    start: int = 0
    end: int = 0
    property: str = "regular"


class Running(Wire):
    """A simulation that is not done; ``retry_after`` is in seconds."""

    progress: float | None = None
    retry_after: float = 0.0


class Simulation(Wire):
    """A simulation that is done. ``alpha`` is there for COMPLETE and WARNING, ``children`` for a parent of
    several."""

    id: str
    status: SimulationStatus
    type: str = "REGULAR"
    settings: dict[str, Any] = Field(default_factory=dict)
    regular: str | None = None
    alpha: str | None = None
    parent: str | None = None
    children: tuple[str, ...] = ()
    message: str | None = None
    location: Place | None = None


class Check(Wire):
    """One check of an alpha; what else a check says (``year``, ``date``, ``message``) stays with it."""

    model_config = ConfigDict(extra="allow")

    name: str
    result: CheckResult
    limit: float | None = None
    value: float | None = None


class Stats(Wire):
    """Figures of one stretch of dates. Returns, drawdown and turnover are fractions; ``pnl`` is dollars."""

    pnl: float | None = None
    book_size: float | None = None
    long_count: int | None = None
    short_count: int | None = None
    turnover: float | None = None
    returns: float | None = None
    drawdown: float | None = None
    margin: float | None = None
    sharpe: float | None = None
    fitness: float | None = None
    start_date: str | None = None
    end_date: str | None = None
    checks: tuple[Check, ...] = ()


class Code(Wire):
    """The expression of an alpha."""

    code: str
    description: str | None = None
    operator_count: int | None = None


class Alpha(Wire):
    """An alpha as the platform keeps it; ``in_sample`` is its key ``is``."""

    id: str
    type: str = "REGULAR"
    author: str | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    regular: Code | None = None
    date_created: str | None = None
    date_submitted: str | None = None
    date_modified: str | None = None
    name: str | None = None
    favorite: bool = False
    hidden: bool = False
    color: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    grade: str | None = None
    stage: str = "IS"
    status: str = "UNSUBMITTED"
    in_sample: Stats | None = Field(None, alias="is")
    train: Stats | None = None
    test: Stats | None = None

    @property
    def request_settings(self) -> SimulationSettings:
        """The settings to simulate it again with: those that the platform added are left out."""
        known = {info.alias or name for name, info in SimulationSettings.model_fields.items()}
        return SimulationSettings.model_validate({k: v for k, v in self.settings.items() if k in known})


class Named(Wire):
    """An id with its name."""

    id: str
    name: str = ""


class DataSetInfo(Wire):
    """A data set of the platform."""

    id: str
    name: str = ""
    description: str = ""
    category: Named | None = None
    subcategory: Named | None = None
    region: str = ""
    delay: int = 1
    universe: str = ""
    coverage: float | None = None
    date_coverage: float | None = None
    value_score: float | None = None
    user_count: int | None = None
    alpha_count: int | None = None
    field_count: int | None = None


class DataFieldInfo(Wire):
    """A field of a data set."""

    id: str
    description: str = ""
    dataset: Named | None = None
    category: Named | None = None
    subcategory: Named | None = None
    region: str = ""
    delay: int = 1
    universe: str = ""
    type: Literal["MATRIX", "VECTOR", "GROUP"] = "MATRIX"
    coverage: float | None = None
    date_coverage: float | None = None
    user_count: int | None = None
    alpha_count: int | None = None


class OperatorInfo(Wire):
    """An operator of the language."""

    name: str
    category: str = ""
    scope: tuple[str, ...] = ("REGULAR",)
    definition: str = ""
    description: str = ""
    documentation: str | None = None
    level: str | None = None


class Column(Wire):
    """A column of a record set."""

    name: str
    title: str = ""
    type: str = ""


class Recordset(Wire):
    """Rows of figures of an alpha, such as ``daily-pnl``: one value a column."""

    name: str = ""
    columns: tuple[Column, ...] = ()
    records: tuple[tuple[Any, ...], ...] = ()


class Correlations(Wire):
    """Correlations with other alphas; ``max`` and ``min`` are None when there is none.

    ``rows`` has for ``self`` one object an alpha (``id``, ``correlation``, ``sharpe``, ...).
    """

    kind: Literal["self", "prod", "power-pool"] = "self"
    max: float | None = None
    min: float | None = None
    rows: tuple[dict[str, Any], ...] = ()


class Quota(Wire):
    """What the platform said last about limits; None = it has not said."""

    limit: int | None = None
    remaining: int | None = None
    reset_seconds: float | None = None
    concurrent: int | None = None
