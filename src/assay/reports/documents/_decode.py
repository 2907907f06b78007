from __future__ import annotations

import codecs

from assay.errors import Refusal
from assay.reports._reasons import DOCUMENT_EMPTY, DOCUMENT_UNREADABLE, DOCUMENT_WRONG_ENCODING

_BINARY = (
    (b"PK\x03\x04", "a zip archive or an Office file", "export it as PDF"),
    (b"\xd0\xcf\x11\xe0", "an old Office file", "export it as PDF"),
    (b"{\\rtf", "a rich text file", "export it as PDF"),
    (b"\x89PNG", "an image", "get the report as text or PDF"),
    (b"\xff\xd8\xff", "an image", "get the report as text or PDF"),
    (b"\x1f\x8b", "a compressed file", "unpack it"),
)


def decode(data: bytes, where: str) -> str:
    """The text of a file: UTF-8, or UTF-16 with a byte order mark; line ends become ``\\n``.

    GBK is refused, not guessed: many byte strings are valid in GBK and in other encodings, and a wrong guess
    reads wrong numbers without a sign of it.
    """
    for magic, what, fix in _BINARY:
        if data.startswith(magic):
            raise Refusal(DOCUMENT_UNREADABLE, f"this is {what}", where=where, fix=fix)
    text = _utf(data, where)
    if _controls(text) > 0.02 * len(text):
        raise Refusal(DOCUMENT_UNREADABLE, "this is a binary file", where=where)
    if not text.strip():
        raise Refusal(DOCUMENT_EMPTY, where=where)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _utf(data: bytes, where: str) -> str:
    encoding = "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        if b"\0" in data[:65536] and encoding != "utf-16":
            raise Refusal(DOCUMENT_UNREADABLE, "this is a binary file", where=where) from error
        fix = None
        if encoding == "utf-8-sig" and _reads_as_chinese(data):
            fix = "it looks like GBK: iconv -f GB18030 -t UTF-8 FILE > NEW (or save as UTF-8 in the editor)"
        message = f"byte {error.start} is not valid {'UTF-16' if encoding == 'utf-16' else 'UTF-8'}"
        raise Refusal(
            DOCUMENT_WRONG_ENCODING, message, where=where, fix=fix, details={"byte": error.start}
        ) from error


def _reads_as_chinese(data: bytes) -> bool:
    head = data[:65536].decode("gb18030", errors="replace")
    wide = [char for char in head if ord(char) > 127]
    good = sum("\u4e00" <= char <= "\u9fff" or char in "，。、；：（）“”《》％" for char in wide)
    return bool(wide) and good > 0.8 * len(wide)


def _controls(text: str) -> int:
    return sum(char < " " and char not in "\n\r\t\f" for char in text) + text.count("\ufffd")
