"""What ``assay brain template`` does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from assay.cli._output import console, print_json, say
from assay.cli._progress import note, slow_notice
from assay.errors import AssayError, ConfigProblems, Problem

if TYPE_CHECKING:
    from assay.brain import SettingsChoices, SimulationSettings
    from assay.brain.client import BlockingClient
    from assay.brain.templates import Expansion, Inventory, Template
    from assay.config import Workspace

BAD: Final = 2
_FILES: Final = (".toml", ".json")


def gather(names: Sequence[str]) -> tuple[Template, ...]:
    """Templates by the names of built-in ones and from files, each name once.

    Raises
    ------
    AssayError, ConfigProblems
        There is no such template or file; a file has problems; two files have a template of one name.
    """
    from assay.brain.templates import pick, read_templates

    found: dict[str, Template] = {}
    for name in names:
        path = Path(name)
        is_file = path.suffix.lower() in _FILES or path.is_file()
        for template in read_templates(path) if is_file else pick([name]):
            if found.setdefault(template.name, template) != template:
                raise AssayError(
                    f"{template.name} is two different templates", where="TEMPLATES", fix="rename one of them"
                )
    return tuple(found.values())


@contextmanager
def opened(
    local: bool, data: str | None, folder: Path | None
) -> Iterator[tuple[BlockingClient, Workspace | None]]:
    """The platform of the options and the workspace, where there is one; nothing is made for it."""
    from assay.cli._brain_platform import open_platform, workspace_of

    workspace = workspace_of(folder)
    root = None if workspace is None else workspace.root
    with slow_notice(), closing(open_platform(local, data, root)) as platform:
        yield platform, workspace


def list_all(names: Sequence[str], family: str | None, *, as_json: bool) -> None:
    """A line for each template."""
    from assay.brain.templates import catalogue

    found = [item for item in (gather(names) if names else catalogue()) if family in (None, item.family)]
    if not found and family is not None:
        known = sorted({item.family for item in catalogue()})
        raise AssayError(
            f"no template is of the family {family!r}", where="--family", fix=f"use one of {', '.join(known)}"
        )
    if as_json:
        print_json({"templates": [item.model_dump(mode="json", exclude_defaults=True) for item in found]})
        return
    table(("name", "family", "core", "idea"), [_row(item) for item in found])


def show_templates(names: Sequence[str], *, as_json: bool) -> None:
    """Templates in full."""
    found = gather(names)
    if as_json:
        print_json({"templates": [item.model_dump(mode="json") for item in found]})
        return
    for item in found:
        say(f"{item.name}  ({item.family or 'no family'})")
        if item.idea:
            say(f"  {item.idea}")
        say(f"  {item.expression}")
        for name in item.order:
            mark = "core" if name in item.core_slots else "    "
            slot = item.slots[name].model_dump(mode="json", exclude_defaults=True)
            say(f"  {mark} {name:<14} {json.dumps(slot, ensure_ascii=False)}")


def new_templates(
    idea: str,
    to: Path,
    local: bool,
    data: str | None,
    data_set: str | None,
    policy: str,
    folder: Path | None,
    *,
    as_json: bool,
) -> None:
    """Templates for an idea, in a file of their own."""
    from assay.base import atomic_write
    from assay.brain.templates import Inventory, templates_from_idea, toml_text
    from assay.cli._brain_check import check_idea
    from assay.cli._files import check_writable

    check_idea(idea)
    check_writable(to, "--to")
    if to.suffix.lower() not in _FILES:
        raise AssayError(
            f"{to.name} is neither .toml nor .json", where="--to", fix="name the file templates.toml"
        )
    if to.exists():
        raise AssayError(f"{to} exists already", where="--to", fix="name another file")
    with opened(local, data, folder) as (platform, workspace):
        inventory = Inventory.of(platform, data_set)
        if policy == "llm":
            made = _by_model(idea, inventory, workspace)
        else:
            made = templates_from_idea(idea, inventory)
    listed = [item.model_dump(mode="json", exclude_defaults=True) for item in made]
    as_file = {"templates": listed}
    json_text = json.dumps(as_file, indent=2, ensure_ascii=False) + "\n"
    atomic_write(to, json_text if to.suffix.lower() == ".json" else toml_text(made))
    if as_json:
        print_json({"file": str(to), **as_file})
        return
    table(("name", "family", "core", "expression"), [_row(item, expression=True) for item in made])
    say(f"wrote {to}: next, assay brain template expand {to} or assay brain pipeline run {to}")


def check_templates(
    names: Sequence[str],
    local: bool,
    data: str | None,
    data_set: str | None,
    folder: Path | None,
    *,
    as_json: bool,
) -> int:
    """All problems; 2 where there is one."""
    problems: list[Problem] = []
    count = 0
    try:
        found = gather(names)
        count = len(found)
        if local or data is not None:
            with opened(local, data, folder) as (platform, _):
                problems = list(_unusable(found, platform, data_set))
    except ConfigProblems as error:
        problems = list(error.problems)
    if as_json:
        print_json({"ok": not problems, "templates": count, "problems": [asdict(item) for item in problems]})
    else:
        for item in problems:
            say(f"{item.where}: {item.message}{f' ({item.fix})' if item.fix else ''}")
        say(f"{len(problems)} problems" if problems else f"{count} templates, no problems")
    return BAD if problems else 0


def expand_templates(
    names: Sequence[str],
    local: bool,
    data: str | None,
    data_set: str | None,
    limit: int,
    folder: Path | None,
    *,
    as_json: bool,
) -> None:
    """Count, then print the first instances."""
    from assay.brain.templates import Expansion, Inventory

    found = gather(names)
    with opened(local, data, folder) as (platform, _):
        inventory = Inventory.of(platform, data_set, found)
        seen: set[str] = set()
        expansions = [Expansion(item, inventory, seen) for item in found]
        rows: list[tuple[str, str]] = []
        for expansion in expansions:
            instances = list(islice(expansion, limit - len(rows)))
            rows += [(item.expression, item.core) for item in instances]
            if len(rows) >= limit:
                break
        counts = [_counted(item) for item in expansions]
    if as_json:
        print_json(
            {"templates": counts, "expressions": [{"expression": text, "core": core} for text, core in rows]}
        )
        return
    for text, _core in rows:
        say(text)
    total = sum(item["combinations"] for item in counts)
    cores = sum(item["cores"] for item in counts)
    note(f"{len(rows)} shown of {total} fillings of {len(counts)} templates, in {cores} cores")


def usable(
    found: Sequence[Template], inventory: Inventory, choices: SettingsChoices, base: SimulationSettings
) -> tuple[Template, ...]:
    """The templates that give anything on a platform; the others are noted.

    Raises
    ------
    ConfigProblems
        None is left.
    """
    problems: list[Problem] = []
    kept = []
    for template in found:
        listed = list(_problems(template, inventory, choices, base))
        problems += listed
        if not listed:
            kept.append(template)
    if problems and not kept:
        raise ConfigProblems(problems, where="TEMPLATES")
    for problem in problems:
        note(f"left out: {problem.where}: {problem.message}")
    return tuple(kept)


def _by_model(idea: str, inventory: Inventory, workspace: Workspace | None) -> tuple[Template, ...]:
    from assay.brain.agent.policies.model import ROLE, with_researcher
    from assay.brain.templates import templates_by_model
    from assay.cli._workspace import need_ledger, need_workspace
    from assay.config import load_secrets
    from assay.llm import BodySink, Roles
    from assay.tools import calls_of_run

    place = workspace or need_workspace()
    secrets = load_secrets(place.root)
    settings = with_researcher(place.llm, secrets)
    ledger = need_ledger(place, create=True)

    def append(body: Mapping[str, Any], latency: float | None) -> None:
        ledger.append("llm_call", body, latency=latency)

    roles = Roles.of(
        settings,
        sink=BodySink(append, ledger),
        secrets=secrets,
        root=place.root,
        recorded=partial(calls_of_run, ledger),
    )
    return templates_by_model(roles.client(ROLE), idea, inventory)


def _unusable(found: Sequence[Template], platform: BlockingClient, data_set: str | None) -> Iterator[Problem]:
    from assay.brain.agent import usual_settings
    from assay.brain.templates import Inventory

    inventory, choices = Inventory.of(platform, data_set, found), platform.choices()
    base = usual_settings(choices)
    for template in found:
        yield from _problems(template, inventory, choices, base)


def _problems(
    template: Template, inventory: Inventory, choices: SettingsChoices, base: SimulationSettings
) -> Iterator[Problem]:
    """Why nothing would come of a template on a platform: its settings, its slots, its expressions."""
    from assay.brain.templates import Expansion

    for key, said in choices.problems(template.settings_on(base)).items():
        yield Problem(f"{template.name}.settings.{key}", said, "use what the platform has")
    yield from Expansion(template, inventory).problems()


def _counted(expansion: Expansion) -> dict[str, Any]:
    return {
        "name": expansion.template.name,
        "combinations": expansion.combinations,
        "cores": expansion.core_count,
    }


def _row(template: Template, *, expression: bool = False) -> tuple[str, ...]:
    last = template.expression if expression else template.idea
    return template.name, template.family, " ".join(template.core_slots), last


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; its last column may wrap."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for place, title in enumerate(head):
        table.add_column(title, no_wrap=place < len(head) - 1)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console().print(table)
