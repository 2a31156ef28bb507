# SPDX-License-Identifier: BSD-3-Clause
"""The life of the link helper: it builds, gives up what it needs no more, serves, and takes all away."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from pyroute2 import NetlinkError

from quadrille.errors import QuadrilleError
from quadrille.passed_sockets.confinement import Confinement, confine
from quadrille.passed_sockets.namespace_thread import CAP_NET_ADMIN, CAP_NET_RAW, keep_only
from quadrille.passed_sockets.rules import Network, Rules
from quadrille.passed_sockets.service import Service

SOCKET = Path("/run/quadrille/link-helper.sock")
_BACKLOG = 1024


def keep(rules: Rules, path: Path) -> None:
    """Serve `rules` at `path` until SIGTERM or SIGINT. Raises QuadrilleError where it cannot."""
    with ExitStack() as stack:
        listener = stack.enter_context(_listening(path))
        confinements = []
        for network in rules.network:
            confinements.append(stack.enter_context(_standing(network)))
        service = Service(listener, rules, confinements)
        for ending in (signal.SIGTERM, signal.SIGINT):
            signal.signal(ending, lambda *_: service.stop())
        for confinement in confinements:
            confinement.gate.run(keep_only, CAP_NET_ADMIN)  # to take it away again
            for room in confinement.rooms:
                room.run(keep_only, CAP_NET_RAW)
        keep_only()
        for network in rules.network:
            addresses = ", ".join(str(rule.ports) for rule in network.rule)
            print(f"{network.interface}: {network.address.ip}, ports {addresses}", flush=True)
        _tell_systemd("READY=1")
        service.serve()


@contextlib.contextmanager
def _standing(network: Network) -> Iterator[Confinement]:
    try:
        built = confine(network)
    except (OSError, NetlinkError) as error:
        code = error.code if isinstance(error, NetlinkError) else error.errno
        raise QuadrilleError(_reason(code, network)) from None
    try:
        yield built
    finally:
        built.close()


def _reason(code: int | None, network: Network) -> str:
    if code == errno.EPERM:
        return "the link helper makes network namespaces, which takes root: sudo, or its systemd unit"
    if code == errno.EBUSY:
        return f"interface {network.interface} belongs to a bridge or bond; name that one in the rules"
    if code in (errno.EEXIST, errno.EADDRINUSE):
        return f"address {network.address.ip} is another link helper's on this host; end it or choose another"
    said = os.strerror(code or 0)
    return f"interface {network.interface}: what confines its sockets cannot be built ({said})"


@contextlib.contextmanager
def _listening(path: Path) -> Iterator[socket.socket]:
    """A socket that everybody may ask; a locked file beside it says that somebody serves there."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        lock = path.with_name(path.name + ".lock").open("w")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
        listener.bind(str(path))
        path.chmod(0o666)
        listener.listen(_BACKLOG)
    except BlockingIOError:
        raise QuadrilleError(
            f"another link helper serves at {path}; end it, or choose another --socket"
        ) from None
    except OSError as error:
        raise QuadrilleError(
            f"socket {path} cannot be made ({error.strerror}); choose another --socket"
        ) from None
    with lock, listener:
        yield listener
        path.unlink(missing_ok=True)


def _tell_systemd(word: str) -> None:
    """As sd_notify(3); nothing where no unit waits for it."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as telling, contextlib.suppress(OSError):
        telling.connect("\0" + address[1:] if address.startswith("@") else address)
        telling.send(word.encode())
