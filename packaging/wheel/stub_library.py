#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print C source for a library that exports what another does, and does nothing.

Programs are linked to it for an architecture of which this machine has no such library.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from elftools.elf.elffile import ELFFile


def stub(library: Path, names: re.Pattern[str]) -> str:
    """Return the source: functions and data of `library` whose names match `names`."""
    lines = []
    with library.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".dynsym")
        for symbol in symbols.iter_symbols():
            if symbol["st_shndx"] == "SHN_UNDEF" or not names.match(symbol.name):
                continue
            kind = symbol["st_info"]["type"]
            if kind == "STT_FUNC":
                lines.append(f"void {symbol.name}(void) {{}}")
            elif kind == "STT_OBJECT":
                lines.append(f"char {symbol.name}[{symbol['st_size']}] = {{1}};")
    return "\n".join([*dict.fromkeys(lines), ""])


if __name__ == "__main__":
    print(stub(Path(sys.argv[1]), re.compile(sys.argv[2])))
