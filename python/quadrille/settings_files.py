# SPDX-License-Identifier: BSD-3-Clause
"""Settings that an administrator or a user has written down for all jobs.

`/etc/quadrille.conf` and `~/.config/quadrille.conf` (in XDG_CONFIG_HOME, where that is set) hold words such
as `QUADRILLE_WIRE=off`, quoted as a shell has them, and comments behind `#`. The user's file wins over the
administrator's, the environment over both.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Sequence
from pathlib import Path

from quadrille.errors import UsageError


def settings_files() -> list[Path]:
    """Return the files that are looked for, the one that wins last."""
    own = os.environ.get("XDG_CONFIG_HOME") or str(Path("~/.config").expanduser())
    return [Path("/etc/quadrille.conf"), Path(own) / "quadrille.conf"]


def written_settings(known: Collection[str], files: Sequence[Path] | None = None) -> dict[str, str]:
    """Return the variables that these files set. Those that do not exist set nothing.

    Raises UsageError for a file that cannot be read or holds something else than a variable out of `known`.
    """
    found: dict[str, str] = {}
    for file in settings_files() if files is None else files:
        try:
            words = shlex.split(file.read_text(encoding="utf-8"), comments=True)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise UsageError(f"{file} cannot be read ({error.strerror})") from error
        except ValueError as error:
            raise UsageError(f"{file} is not made of words as a shell has them ({error})") from error
        for word in words:
            name, equals, value = word.partition("=")
            if not equals or name not in known:
                raise UsageError(
                    f"{file}: {word!r} sets nothing that is known; write QUADRILLE_WIRE=off, and see"
                    " `quadrille env --help` for all"
                )
            found[name] = value
    return found
