"""Reference pages generated from the program itself: its commands, its refusals, and its tools."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.errors import Reason


def cli_markdown() -> str:
    """The page ``docs/reference/cli.md``: every command with its arguments and options."""
    import typer

    from assay.cli._app import build_app

    lines = [
        "# The command line",
        "",
        "Every command takes `--json` and `--help`. Exit codes: 0 done; 1 a question was answered with no,",
        "or a command says so; 2 bad input; 3 an outside service failed; 70 a fault inside Assay (set",
        "`ASSAY_DEBUG=1` for the traceback); 130 interrupted; 141 the reader of the output went away;",
        "143 ended by SIGTERM, which lets a run record that it was stopped. With",
        "`--json`, an error is JSON on standard output, with `message`, `where` and `fix`; progress and",
        "notes go to standard error.",
        "",
        "A formula that begins with `-` may be given as it is; put `--` before one that begins with `--`.",
        "",
    ]
    root = typer.main.get_command(build_app())
    for path, command in _commands("assay", root):
        lines += _command_lines(path, command)
    return "\n".join(lines).rstrip() + "\n"


def refusals_markdown() -> str:
    """The page ``docs/reference/refusals.md``: every declared reason with its meaning and what to do."""
    lines = [
        "# Refusals",
        "",
        "A refusal is an expected \u201cno\u201d: not a bug, not an outage. Its `reason` is one of these",
        "codes, which stay the same from release to release; programs may branch on them.",
        "",
    ]
    for package, reasons in declared_reasons().items():
        lines += [f"## {package}", "", "| code | meaning | what to do |", "|---|---|---|"]
        lines += [f"| `{item.code}` | {_cell(item.summary)} | {_cell(item.fix)} |" for item in reasons]
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def tools_page() -> str:
    """The page ``docs/reference/tools.md``: the tools of the whole surface, of evolutions and of BRAIN."""
    from assay.brain.tools import BrainDesk, HttpsWeb, WebRules, brain_tools
    from assay.evolve import described_tools
    from assay.mcp import bare_surface
    from assay.tools import Registry, tools_markdown

    brain = brain_tools(BrainDesk(web=HttpsWeb(WebRules(("the hosts of `web_hosts`",)))))
    note = (
        "The group `brain` is for the models behind `assay brain`, and not served over MCP; its web tools\n"
        "exist only where `web_hosts` of `[brain]` lists hosts. The group `evolve` is for the policy behind\n"
        "`assay report evolve`, and not served either."
    )
    own = [*brain, *described_tools()]
    return tools_markdown(Registry([*bare_surface(allow_record=True).tools(), *own]), note)


def declared_reasons() -> dict[str, list[Reason]]:
    """All :class:`~assay.errors.Reason` objects by package, each package's sorted by code."""
    found: dict[str, dict[str, Reason]] = {}
    for name in _modules_that_declare():
        package = name.split(".")[1]
        for value in vars(importlib.import_module(name)).values():
            if isinstance(value, Reason):
                found.setdefault(package, {})[value.code] = value
    return {package: [items[code] for code in sorted(items)] for package, items in sorted(found.items())}


def catalogue_file() -> str:
    """The file ``docs/reference/mcp-catalogue.json``: the tools as agents see them over the wire."""
    from assay.mcp import bare_surface, catalogue_text

    return catalogue_text(bare_surface(allow_record=True))


def _modules_that_declare() -> Iterator[str]:
    """Modules whose text makes a reason; only these are imported, as some others are slow to import."""
    root = Path(__file__).parents[1]
    for file in sorted(root.rglob("*.py")):
        parts = file.relative_to(root).with_suffix("").parts
        if parts[0] not in ("cli", "errors") and " = Reason(" in file.read_text(encoding="utf-8"):
            yield ".".join(("assay", *(part for part in parts if part != "__init__")))


def _commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    children = getattr(command, "commands", None)
    if children is None:
        yield path, command
        return
    for name, child in children.items():
        if not child.hidden:
            yield from _commands(f"{path} {name}", child)


def _command_lines(path: str, command: Any) -> list[str]:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [
        param for param in command.params if param.param_type_name == "option" and param.name != "help"
    ]
    usage = " ".join([path, *(_argument_text(item) for item in arguments), "[OPTIONS]"])
    lines = [f"## {path}", "", f"`{usage}`", "", " ".join((command.help or "").split()), ""]
    rows = [(_argument_text(item), getattr(item, "help", "") or "", item) for item in arguments]
    rows += [(_option_text(item), item.help or "", item) for item in options]
    if rows:
        lines += ["| argument or option | meaning | default |", "|---|---|---|"]
        lines += [f"| `{name}` | {_cell(help_)} | {_default(item)} |" for name, help_, item in rows]
        lines.append("")
    return lines


def _argument_text(param: Any) -> str:
    name = param.metavar or param.name.upper()
    return name if param.required else f"[{name}]"


def _option_text(param: Any) -> str:
    names = ", ".join([*param.opts, *param.secondary_opts])
    if param.is_flag:
        return names
    return f"{names} {param.metavar or param.name.upper()}"


def _default(param: Any) -> str:
    value = param.default
    if value is None or value is False or callable(value):
        return ""
    return f"`{value}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def write_pages(folder: Path) -> None:
    """Write the generated pages of this module into ``docs/reference``."""
    from assay import mcp
    from assay.base import atomic_write

    atomic_write(folder / "cli.md", cli_markdown())
    atomic_write(folder / "refusals.md", refusals_markdown())
    atomic_write(folder / "tools.md", tools_page())
    for file in (folder / "mcp-catalogue.json", Path(mcp.__path__[0]) / "catalogue.json"):
        atomic_write(file, catalogue_file())


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
