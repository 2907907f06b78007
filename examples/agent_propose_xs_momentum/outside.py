"""The same agent as a process of its own: it speaks to ``assay mcp serve --allow-record`` over pipes.

    python examples/agent_propose_xs_momentum/outside.py --out-dir desk

makes a workspace with a book in ``desk``, as a person would, and starts the server there, as a client does.
The agent knows nothing but the tools: what it lands, it lands through ``provenance_record_candidate``, and
the server says who it is. At the end a person looks at the book.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent import Config, Refused, call

from mcp import Client, StdioServerParameters

ASSAY = ("-c", "import sys; from assay.cli import main; sys.exit(main(sys.argv[1:]))")


def assay(folder: Path, *words: str) -> str:
    """What a command of Assay prints in a folder."""
    command = [sys.executable, *ASSAY, *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


async def propose(desk: Path, config: Config) -> None:
    """Read, search, propose, over pipes."""
    words = ["mcp", "serve", "--allow-record", "--model", config.model, "--artifact", config.model]
    server = StdioServerParameters(command=sys.executable, args=[*ASSAY, *words], cwd=str(desk))
    async with Client(server) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        print(f"{len(tools)} tools; recording is allowed: {'provenance_record_candidate' in tools}")
        features = (await call(client, "features_list", limit=200))["rows"]
        notes = [row["slug"] for row in (await call(client, "writing_list_notes"))["rows"]]
        print(f"{len(features)} features, notes: {', '.join(notes)}")
        names = [row["name"] for row in features]
        found = await call(
            client,
            "discovery_factor_mining",
            inputs=[name for name in config.inputs if name in names],
            target=config.target,
            n_candidates=config.candidates,
            objective="signed",
        )
        best = found["rows"][0]["report"]
        print(f"best of {found['n']} trials: {best['subject']}")
        await land(client, best, [config.invented, *config.cites], notes)
        rows = (await call(client, "book_recent_provenance", limit=5))["rows"]
        print(f"rows of provenance: {len(rows)}, by {rows[0]['operator_kind']}")


async def land(
    client: Client, best: dict[str, Any], wanted: Sequence[str], notes: Sequence[str]
) -> dict[str, Any]:
    """Enter the candidate; what cannot be cited is left out, and nothing else is tried."""
    cited = list(wanted)
    while True:
        try:
            made = await call(
                client,
                "provenance_record_candidate",
                strategy="xs-momentum",
                title=f"Cross-sectional momentum: {best['subject']}",
                fingerprint=best["provenance"]["fingerprint"],
                config_hash=best["provenance"]["config_hash"],
                metric="rank_ic",
                score=best["metrics"]["rank_ic"],
                citations=[f"note:{slug}" for slug in cited],
            )
        except Refused as refusal:
            print(f"refused: {refusal.reason}")
            if refusal.reason != "unresolved_citation" or cited == [slug for slug in cited if slug in notes]:
                raise
            cited = [slug for slug in cited if slug in notes]
            continue
        print(f"entered {made['event_id']} as {made['operator']}")
        return made


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out-dir", type=Path, required=True, help="folder of a new workspace")
    desk = parser.parse_args(arguments).out_dir.absolute()
    desk.parent.mkdir(parents=True, exist_ok=True)
    assay(desk.parent, "init", desk.name)
    assay(desk, "book", "init")
    asyncio.run(propose(desk, Config()))
    print(assay(desk, "book", "show"), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
