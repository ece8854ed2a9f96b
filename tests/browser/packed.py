"""The data of a page, taken apart by a few lines that share nothing with the page's own script: what tests compare with."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from pathlib import Path
from typing import Any

FORMATS = {"u8": "B", "u16": "H", "u32": "I", "i32": "i", "f32": "f", "f64": "d"}


class Packed:
    """The object of a page, and the numbers of its columns."""

    def __init__(self, page: Path) -> None:
        held = re.search(r'<script id="data" type="application/octet-stream">([^<]*)</script>', page.read_text(encoding="utf-8"))
        assert held, f"{page} holds no data"
        octets = zlib.decompress(base64.b64decode(held[1], validate=True), -zlib.MAX_WBITS)
        (length,) = struct.unpack_from("<I", octets)
        self.json: dict[str, Any] = json.loads(octets[4:4 + length])
        self.columns = octets[-(-(4 + length) // 8) * 8:]

    def column(self, reference: Any) -> Any:
        """The numbers of a column; plain lists are as they are."""
        if reference is None or isinstance(reference, list):
            return reference
        at, count = reference["at"], reference["length"]
        if reference["type"] == "bits":
            return [self.columns[at + (i >> 3)] >> (i & 7) & 1 for i in range(count)]
        return struct.unpack_from(f"<{count}{FORMATS[reference['type']]}", self.columns, at)
