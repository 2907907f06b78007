"""The reference page of the ledger, made from the table of kinds."""

from __future__ import annotations

import sys
from pathlib import Path

from assay.ledger._kinds import kinds_markdown

_PAGE = """# The ledger

This page is made by `python -m assay.ledger._docs docs/reference/ledger.md`; a test fails when it is stale.

A workspace has one ledger, the folder `ledger/`. Everything that happens is a record in it, on the disk
before anything is acted on; nothing in it is ever changed or taken out.

| file | what it is |
|---|---|
| `ledger.jsonl` | the records: one line of JSON each, every line naming the hash of the line before it |
| `objects.pack` | payloads by their SHA-256: daily series, certificates, prompts, replies |
| `head` | how far the last writer got; with it a missing end is noticed |
| `index.sqlite` | a cache, made anew from the records when it is absent |
| `torn/` | what writers that were stopped left half-written, kept for a look |

While something is appended, `ledger.jsonl` is locked (`flock`); the system frees it when the holder dies.

## A line

```json
{"batch":[0,1],"body":{},"kind":"round","meta":{},"run":"r-1","prev":"<64 hex>","hash":"<64 hex>"}
```

UTF-8, keys sorted but for `prev` and `hash`, no spaces, the shortest text of each number, `null` for what
is missing. `hash` is the SHA-256 of the line's bytes before `,"hash":"`. `batch` is `[i, n]`: record `i` of
an append of `n`, which counts as a whole or not at all. `meta` holds time, process, host and latency, for
people. The first line names format and version; its `prev` is 64 zeros. Without Assay, a chain is checked
like this:

```python
import hashlib


def check(path):
    prev = "0" * 64
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            head, _, rest = line.rpartition(b',"hash":"')
            digest = hashlib.sha256(head).hexdigest()
            assert rest == b'%b"}\\n' % digest.encode(), number
            assert head.endswith(b'"prev":"%b"' % prev.encode()), number
            prev = digest
```

## What can go wrong

- **A writer is killed, or the power fails.** What it was told is recorded is there. What it had
  half-written is a *torn tail*: readers leave it out and report it, the next writer moves it to `torn/` and
  records a `recovery`.
- **The disk is full or fails.** The append raises `LedgerUnwritable`, and nothing of it is there.
- **Another process writes.** An append waits up to 10 seconds for it, then refuses `ledger_busy`.
- **The folder is gone.** Where `runs/` still has run folders, no new ledger is made: N and looks would begin
  anew.
- **A line was edited, deleted, moved or doubled, or the end is missing.** `LedgerDamaged`, naming the first
  line that does not fit. Nothing is mended by itself: restore the folder from a copy. Whatever counts N,
  looks or runs checks the whole chain first, in a ledger of up to 64 MiB (some 90,000 records); in a larger
  one `assay ledger verify` does.

The chain shows a change to anyone who knows a later hash. Somebody who rewrites the whole file, `head` and
the index can only be found out with a hash kept elsewhere, such as that of the last line, which `verify`
gives.

## Counting trials and looks

```python
from assay.ledger import Ledger, Scope

ledger = Ledger.open("ledger")
trials = ledger.trials(Scope(data="cn"))
trials.n, trials.effective_n, trials.sharpe_variance  # for DSR; trials.series() for PBO
ledger.looks("cn")
```

A trial is a distinct pair of fingerprint and configuration hash; recording it again, in this run or another,
adds none, and controls are not counted. N includes what runs that were killed had planned and not recorded.

What counts, by what is done:

- **A formula is scored on search dates** (`judge`, an agent, a campaign, a reading of a report): a trial,
  unless the pair is there already. No look.
- **It is judged with another label, universe, lag or cost, or on other dates**: one more trial, since any of
  these may be the better one by luck.
- **A certificate on hidden dates** (`judge` with `allow_hidden`; each factor and each portfolio of `campaign
  accept`): a look each, and a trial, as the dates are others. So *a look at `eval` raises N*. `eval` is paid
  once for a pair, `score` each time.
- **An admitted factor is read on days after its certificate** (`zoo monitor`): a look for each reading of
  hidden dates, and no trial. The factor was counted when it was tried, and nothing is chosen by a reading;
  it is recorded as a control.
- **Values on a hidden date** (`zoo values`): neither, since no return is read; a record says who read them.
- **Shuffled, late and sub-period checks of a judgement, refusals of a gate, replays, noise twins**: neither.

Budgets of looks are set by `[data.NAME.looks]` in `assay.toml`. Each look makes a period worth less, so plan
before the first one: an acceptance needs one for each factor and portfolio, and following a zoo one for each
factor and each day on which it is read.

The effective N counts trials whose daily returns move together once. Where it cannot be said how many
there were, the refusal is `incomplete_scope`: a torn tail, a run that has not stopped, a look at hidden dates
whose trial is missing. `assay ledger close` ends what was killed. `assay ledger count` shows all of it.

## Kinds of record

Each kind has keys that its body must have; a value may be `null`, and more keys may be there.

"""


def ledger_markdown() -> str:
    """The page ``docs/reference/ledger.md``."""
    return _PAGE + kinds_markdown()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(ledger_markdown(), encoding="utf-8")
