"""Cookies out of the log: httpcore writes the headers of replies where somebody turns DEBUG on."""

from __future__ import annotations

import logging
import re
from typing import Final

_LOGGERS: Final = ("httpcore.http11", "httpcore.http2")
_COOKIE: Final = re.compile(r"(\(b'set-cookie', b)('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", re.IGNORECASE)


class Quiet(logging.Filter):
    """Takes the values of cookies out of what httpcore logs, from :meth:`begin` to :meth:`end`."""

    @classmethod
    def begin(cls) -> Quiet:
        """A filter that is in place."""
        made = cls()
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(made)
        return made

    def end(self) -> None:
        """Take it away; a second time nothing happens."""
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        """See the base class."""
        text = record.getMessage()
        if "cookie" in text.lower():
            record.msg, record.args = _COOKIE.sub(r"\1'***'", text), ()
        return True
