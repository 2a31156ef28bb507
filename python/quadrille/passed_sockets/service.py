# SPDX-License-Identifier: BSD-3-Clause
"""Answers at the Unix socket: a request and its answer are one message each, of text.

quadrille-link 1 10.0.0.17               for the interface that has this address
granted eth0                             with three sockets beside it, in the namespace of which this is
refused no rule is for user bob ...      and why
"""

from __future__ import annotations

import contextlib
import ipaddress
import pwd
import selectors
import socket
import struct
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pyroute2 import IPRoute, NetlinkError

from quadrille.errors import QuadrilleError
from quadrille.passed_sockets.confinement import HOLDER_INTERFACE, Confinement
from quadrille.passed_sockets.rules import Rules
from quadrille.passed_sockets.sockets import close_all, open_sockets

GREETING = "quadrille-link"
VERSION = "1"
_LONGEST_REQUEST = 256
_MOST_WAITING = 512
_MOST_OF_A_USER = 256
"""As many ranks of one user may ask at the same time; who is turned away is free to come again."""
_PATIENCE_S = 5
"""Who has connected and says nothing is then sent away."""
_SO_PEERGROUPS = 59
_GROUPS_BYTES = 1024
"""Of 256 groups; who is in more is refused."""


@dataclass(frozen=True)
class Caller:
    """Who asks, as the kernel says."""

    uid: int
    gids: frozenset[int]

    def __str__(self) -> str:
        """A name where there is one."""
        with contextlib.suppress(KeyError):
            return f"{pwd.getpwuid(self.uid).pw_name} ({self.uid})"
        return str(self.uid)


class Service:
    """Decides and hands out. `stop` may be called by a signal's handler."""

    def __init__(self, listener: socket.socket, rules: Rules, confinements: Sequence[Confinement]) -> None:
        """Serve at `listener`. REQUIRES: `confinements` are those of the rules' networks, in order."""
        self._listener = listener
        self._rules = rules
        self._confinements = confinements
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ)
        self._until: dict[socket.socket, float] = {}
        self._user_of: dict[socket.socket, int] = {}
        self._interrupter, self._interrupted = socket.socketpair()
        self._selector.register(self._interrupted, selectors.EVENT_READ)
        self._host = IPRoute()

    def stop(self) -> None:
        """Have `serve` return."""
        self._interrupter.send(b"1")

    def serve(self) -> None:
        """Answer until stopped; who waits then is answered by the next call."""
        while True:
            for key, _ in self._selector.select(1 if self._until else None):
                if key.fileobj is self._interrupted:
                    self._interrupted.recv(1)
                    return
                if key.fileobj is self._listener:
                    self._accept()
                # Who has just come may have taken the place of who speaks now.
                elif isinstance(key.fileobj, socket.socket) and key.fileobj in self._until:
                    self._answer(key.fileobj)
            for late in [one for one, end in self._until.items() if end < time.monotonic()]:
                self._dismiss(late)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self._listener.accept()
            user = user_at(connection)
            if not self._make_room(user):
                return connection.close()
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ)
            self._user_of[connection] = user
            self._until[connection] = time.monotonic() + _PATIENCE_S

    def _make_room(self, user: int) -> bool:
        """One of a user who holds most makes room for one who holds less: no user keeps others out."""
        held = Counter(self._user_of.values())
        if held[user] >= _MOST_OF_A_USER:
            return False
        if len(self._until) < _MOST_WAITING:
            return True
        most, count = held.most_common(1)[0]
        if count <= held[user] + 1:
            return False
        self._dismiss(next(one for one, of in self._user_of.items() if of == most))
        return True

    def _dismiss(self, connection: socket.socket) -> None:
        del self._until[connection]
        del self._user_of[connection]
        self._selector.unregister(connection)
        connection.close()

    def _answer(self, connection: socket.socket) -> None:
        passed: list[socket.socket] = []
        try:
            request = connection.recv(_LONGEST_REQUEST)
            if not request:
                return
            try:
                passed = self._grant(caller_at(connection), request)
                answer = f"granted {HOLDER_INTERFACE}"
            except (QuadrilleError, OSError) as error:
                answer = f"refused {error}"
            except NetlinkError as error:  # an interface has just gone, or addresses change
                answer = f"refused interfaces of this host cannot be looked at now: {error}"
            socket.send_fds(connection, [answer.encode()], [one.fileno() for one in passed])
        except OSError:
            pass  # it has gone away
        finally:
            close_all(passed)
            self._dismiss(connection)

    def _grant(self, caller: Caller, request: bytes) -> list[socket.socket]:
        interface = self._interface_of(parse_request(request))
        found = self._rules.find(caller.uid, caller.gids, interface)
        if found is None:
            raise QuadrilleError(f"no rule is for user {caller} on interface {interface}")
        network, place = found
        confinement = self._confinements[self._rules.network.index(network)]
        if not confinement.is_whole():
            raise QuadrilleError(f"interface {interface} was taken away; the link helper has to start again")
        return confinement.rooms[place].run(open_sockets, confinement.holders[place])

    def _interface_of(self, address: ipaddress.IPv4Address) -> str:
        for entry in self._host.get_addr(family=socket.AF_INET):
            if entry.get_attr("IFA_LOCAL") == str(address):
                return str(self._host.get_links(entry["index"])[0].get_attr("IFLA_IFNAME"))
        raise QuadrilleError(f"no interface of the link helper's host has the address {address}")


def parse_request(request: bytes) -> ipaddress.IPv4Address:
    """Return the address that a request is about. Raises QuadrilleError."""
    words = request.decode(errors="replace").split(" ")
    if words[0] != GREETING or len(words) != 3:
        raise QuadrilleError("that is no request of Quadrille's")
    if words[1] != VERSION:
        raise QuadrilleError(
            f"the link helper speaks version {VERSION}, the rank another; install one version"
        )
    try:
        return ipaddress.IPv4Address(words[2])
    except ValueError:
        raise QuadrilleError("that is no address") from None


def user_at(connection: socket.socket) -> int:
    """Return the user at the other end. Raises OSError."""
    return int(struct.unpack("=iII", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1])


def caller_at(connection: socket.socket) -> Caller:
    """Return who is at the other end. Raises OSError."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    _, uid, gid = struct.unpack("=iII", credentials)
    groups = connection.getsockopt(socket.SOL_SOCKET, _SO_PEERGROUPS, _GROUPS_BYTES)
    others = struct.unpack(f"={len(groups) // 4}I", groups)
    return Caller(uid, frozenset({gid, *others}))
