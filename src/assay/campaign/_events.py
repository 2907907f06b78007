from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from assay.base import Clock
from assay.campaign._files import RunFiles

EVENTS: Final = "events.jsonl"

Watch = Callable[[str, Mapping[str, Any]], None]
"""Is told of each event: its name and what it says."""


@dataclass
class Events:
    """What a run does, as it does it: appended to ``events.jsonl`` and told to a watcher.

    Nothing ever reads the file, so no resume, replay or snapshot depends on it. Groups that run side by side
    tell their calls in the order of time.
    """

    files: RunFiles
    clock: Clock
    watch: Watch | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def tell(self, event: str, **data: Any) -> None:
        """Append one event."""
        line = {"event": event, "time": self.clock.now().isoformat(), **data}
        with self._lock:
            self.files.append(EVENTS, json.dumps(line, sort_keys=True, ensure_ascii=True))
            if self.watch is not None:
                self.watch(event, data)
