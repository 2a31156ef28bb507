# SPDX-License-Identifier: BSD-3-Clause
"""Where a running lab is written down: one directory per lab, held by its keeper's file lock.

A lab is alive while somebody holds the lock on `lock` in its directory: the keeper does, from before the
first interface is made until it ends in whatever way. No pid is trusted, so pids may be reused.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from quadrille.errors import QuadrilleError, UsageError
from quadrille.lab.topology import Topology

_ID = re.compile(r"^[a-z0-9][a-z0-9_-]{0,30}$")


@dataclass(frozen=True)
class HostState:
    """What the rest of the lab needs of one host. `namespaces`: /proc path of each, by kind."""

    name: str
    address: str
    admin_address: str | None
    namespaces: dict[str, str]
    network_inode: int
    network_cookie: int
    congestion_control: str


@dataclass(frozen=True)
class LabState:
    """A lab that stands. `user_namespace` is None when it was made by root of the machine."""

    lab_id: str
    boot_id: str
    keeper_pid: int
    user_namespace: str | None
    switch_namespace: str
    switch_inode: int
    switch_cookie: int
    delay_by: str | None
    notes: list[str]
    hosts: dict[str, HostState]
    topology: dict[str, Any]

    def host(self, name: str) -> HostState:
        """Return host `name`. Raises UsageError when the lab has none of that name."""
        if name not in self.hosts:
            raise UsageError(f"lab {self.lab_id} has no host {name}; it has {', '.join(self.hosts)}")
        return self.hosts[name]

    def inside(self, *paths: str) -> list[str]:
        """Return `paths` with the lab's user namespace in front where it has one of its own."""
        return [self.user_namespace, *paths] if self.user_namespace else list(paths)

    def parsed_topology(self) -> Topology:
        """Return the topology the lab was built from."""
        return Topology.model_validate(self.topology)


def boot_id() -> str:
    """Return the kernel's name for this boot of the machine."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


def labs_directory() -> Path:
    """Return the directory of all labs of this user, made if missing.

    `QUADRILLE_LAB_DIR` names it outright; else /run/quadrille/labs for root, $XDG_RUNTIME_DIR/quadrille/labs
    for others.
    """
    override = os.environ.get("QUADRILLE_LAB_DIR")
    if override:
        path = Path(override).resolve()
    elif os.geteuid() == 0:
        path = Path("/run/quadrille/labs")
    else:
        base = os.environ.get("XDG_RUNTIME_DIR") or own_temporary_folder(Path("/tmp"))
        path = Path(base) / "quadrille" / "labs"
    try:
        path.mkdir(mode=0o755, parents=True, exist_ok=True)
    except OSError as error:
        raise QuadrilleError(f"{path}: cannot be made ({error.strerror}); set QUADRILLE_LAB_DIR") from None
    return path


def own_temporary_folder(parent: Path) -> Path:
    """Return this user's folder in `parent`, where others may make folders, too.

    Raises QuadrilleError when it is somebody else's: he could replace what is started in a lab.
    """
    path = parent / f"quadrille-{os.getuid()}"
    with contextlib.suppress(OSError):  # it is there, or the next step says what is wrong
        path.mkdir(mode=0o700)
    try:
        owner = path.lstat()
    except OSError as error:
        raise QuadrilleError(f"{path}: cannot be made ({error.strerror}); set QUADRILLE_LAB_DIR") from None
    if not stat.S_ISDIR(owner.st_mode) or owner.st_uid != os.getuid():
        raise QuadrilleError(f"{path} is no folder of yours; set QUADRILLE_LAB_DIR to one")
    return path


def lab_directory(lab_id: str) -> Path:
    """Return the run directory of lab `lab_id`. Raises UsageError for an impossible id."""
    if not _ID.match(lab_id):
        raise UsageError(f"lab name {lab_id!r}: use 1 to 31 of a-z, 0-9, _ and -, such as demo")
    return labs_directory() / lab_id


@contextlib.contextmanager
def labs_locked() -> Iterator[Path]:
    """Hold the lock under which labs are claimed and removed; yields their directory."""
    directory = labs_directory()
    with (directory / ".lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield directory


def is_alive(directory: Path) -> bool:
    """Return whether a keeper holds the lab in `directory`."""
    try:
        with (directory / "lock").open("r") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def keeper_pid(directory: Path) -> int | None:
    """Return the pid of the keeper that holds the lab in `directory`, or None when nobody does."""
    if not is_alive(directory):
        return None
    try:
        pid = int((directory / "lock").read_text(encoding="ascii"))
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (OSError, ValueError):
        return None  # claimed by a `lab up` whose keeper has not started yet, or the keeper just ended
    return pid if str(directory).encode() in arguments else None


def claim(lab_id: str) -> tuple[Path, int]:
    """Make the run directory of a lab; return it and the descriptor of its held lock.

    Raises QuadrilleError when a lab of that id is alive. REQUIRES: what a dead one left was removed before.
    """
    directory = lab_directory(lab_id)
    if is_alive(directory):
        raise QuadrilleError(f"lab {lab_id} is already up; `quadrille lab down {lab_id}` or choose --name")
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(mode=0o755)
    handle = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    fcntl.flock(handle, fcntl.LOCK_EX)
    return directory, handle


def write_state(directory: Path, state: LabState) -> None:
    """Write down a lab, all at once."""
    partial = directory / "state.json.partial"
    partial.write_text(json.dumps(asdict(state), indent=1), encoding="utf-8")
    partial.replace(directory / "state.json")


def read_state(directory: Path) -> LabState | None:
    """Return the lab written down in `directory`, or None when it never got that far."""
    try:
        data = json.loads((directory / "state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    hosts = {name: HostState(**host) for name, host in data.pop("hosts").items()}
    return LabState(hosts=hosts, **data)


def list_labs() -> list[tuple[str, bool]]:
    """Return (id, alive) of every lab that has a run directory, by id."""
    found = [path for path in labs_directory().iterdir() if path.is_dir() and _ID.match(path.name)]
    return [(path.name, is_alive(path)) for path in sorted(found)]


def find_lab(lab_id: str | None) -> tuple[Path, LabState]:
    """Return the run directory and state of a lab that is up; without an id, of the only one.

    `QUADRILLE_LAB` stands in for a missing id. Raises QuadrilleError when there is none or more than one.
    """
    lab_id = lab_id or os.environ.get("QUADRILLE_LAB")
    if lab_id is None:
        alive = [name for name, lives in list_labs() if lives]
        if not alive:
            raise QuadrilleError("no lab is up; start one, for example `quadrille lab up one_switch`")
        if len(alive) > 1:
            raise UsageError(f"several labs are up ({', '.join(alive)}); choose one with --lab")
        lab_id = alive[0]
    directory = lab_directory(lab_id)
    state = read_state(directory) if is_alive(directory) else None
    if state is None:
        raise QuadrilleError(f"lab {lab_id} is not up; start it with `quadrille lab up ... --name {lab_id}`")
    return directory, state
