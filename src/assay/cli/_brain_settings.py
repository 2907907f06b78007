"""Settings of a simulation, as options of a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from assay.errors import AssayError

if TYPE_CHECKING:
    from assay.brain import SimulationSettings

Decay = Annotated[int | None, typer.Option(help="Days of linear decay.", min=0, max=512)]
Neutralization = Annotated[str | None, typer.Option(help="Neutralisation, as the platform names it.")]
Truncation = Annotated[float | None, typer.Option(help="Largest share of one name; 0: no cap.", min=0, max=1)]
NanHandling = Annotated[Literal["ON", "OFF"] | None, typer.Option(help="ON or OFF.")]


_NAMES = ("region", "universe", "delay", "decay", "neutralization", "truncation", "nan_handling")


def given_settings(*values: Any) -> dict[str, Any]:
    """The options that say settings, in the order in which commands have them, by the names of settings."""
    return dict(zip(_NAMES, values, strict=True))


def settings_of(start: SimulationSettings, **given: Any) -> SimulationSettings:
    """Settings with those that were given instead of ``start``'s; None is not given.

    Raises
    ------
    AssayError
        One of them cannot have its value.
    """
    from pydantic import ValidationError

    said = {name: value for name, value in given.items() if value is not None}
    try:
        return type(start).model_validate({**start.model_dump(), **said})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        option = "--" + str(first["loc"][0]).replace("_", "-")
        raise AssayError(f"{first['input']!r} does not fit", where=option, fix=first["msg"]) from None
