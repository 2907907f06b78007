"""The memory: what a distiller keeps of the trials, and its versions."""

from __future__ import annotations

import re
from typing import Final

from assay.campaign._files import RunFiles
from assay.campaign._lines import trial_line
from assay.campaign._settings import CampaignConfig
from assay.campaign._types import Brief, History, MemoryContext, TrialRecord

MEMORY: Final = "memory.md"
FOLDER: Final = "memory"
MOST_CHARACTERS: Final = 8000
"""Size of a memory: every later prompt carries it."""

_LINES_SHOWN = 400
_DETAIL = 200


def memory_context(
    history: History, number: int, config: CampaignConfig, brief: Brief
) -> MemoryContext | None:
    """What the distiller gets before round ``number``; None where no memory is due.

    One is due every ``memory_every`` rounds. It folds in the trials since the last one that was kept, so a
    reply that could not be used costs no trial; of very many only the latest are listed.
    """
    every = config.context.memory_every
    if not config.context.feedback or every == 0 or number == 1 or (number - 1) % every:
        return None
    trials = since(history)
    if not trials:
        return None
    lines = tuple(trial_line(trial, detail=_DETAIL) for trial in trials[-_LINES_SHOWN:])
    if len(trials) > _LINES_SHOWN:
        lines = (f"{len(trials) - _LINES_SHOWN} older ones are not listed", *lines)
    return MemoryContext(number, history.memory, trials, lines, brief)


def since(history: History) -> tuple[TrialRecord, ...]:
    """The trials that the memory does not have yet, oldest first."""
    return tuple(trial for trial in history.trials if trial.round >= history.memory_round)


def usable_memory(reply: str | None) -> str | None:
    """The memory that a reply stands for; None where it holds none and the previous one is kept.

    What is over :data:`MOST_CHARACTERS` is cut off at the end of a line.
    """
    text = _clean(reply or "")
    if len(text) > MOST_CHARACTERS:
        # a first line that is too long by itself is cut in it
        text = text[: MOST_CHARACTERS + 1].rpartition("\n")[0] or text[:MOST_CHARACTERS]
    return text.strip() or None


def write_memory(files: RunFiles, history: History) -> None:
    """Bring the files to what the history tells: ``memory.md`` and ``memory/round_NN.md`` for each version.

    A version is named by the round that it was written before. Files of versions that the history does not
    have, of a round that was dropped, go.
    """
    versions = {item.number: item.memory for item in history.rounds if item.memory is not None}
    if history.memory_round:
        versions[history.memory_round] = history.memory
    names = {f"round_{number:02d}.md": text for number, text in versions.items()}
    folder = files.make(FOLDER) if names else files.folder / FOLDER
    for path in sorted(folder.glob("round_*.md")):
        if re.fullmatch(r"round_[0-9]+\.md", path.name) and path.name not in names:
            path.unlink()
    for name, text in names.items():
        _bring(files, f"{FOLDER}/{name}", text)
    if names:
        _bring(files, MEMORY, history.memory)
    else:
        (files.folder / MEMORY).unlink(missing_ok=True)


def _bring(files: RunFiles, name: str, text: str) -> None:
    content = text + "\n"
    path = files.folder / name
    if not path.is_file() or path.read_bytes() != content.encode("utf-8"):
        files.write(name, content)


def _clean(text: str) -> str:
    """Line ends as ``\\n``, no control characters, no halves of characters, no blanks at line ends."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    lines = ["".join(c for c in line if c.isprintable() or c == "\t") for line in whole.splitlines()]
    return "\n".join(line.rstrip() for line in lines).strip()
