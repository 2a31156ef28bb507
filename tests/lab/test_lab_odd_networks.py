# SPDX-License-Identifier: BSD-3-Clause
"""Hosts and networks that are set up in unusual ways: results are right, or one line says why not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lab_jobs import (
    GRANTED,
    IN_HOST_MEMORY,
    block_datagrams_to,
    block_multicast_to,
    drop_at,
    program,
    start_over_provider,
)
from lab_traffic import PYTHON, needs_namespaces, topology

from quadrille.installation import native_directory
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve
from quadrille.lab.session_directory import session_directory

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(150)]

SECCOMP_WRAPPER = str(Path(__file__).with_name("seccomp_wrapper.py"))
ADDRESS = "$(ip -o -4 addr show dev eth0 | awk '{print $4}')"


def on_all(lab: Lab, command: str) -> None:
    """Have every host run a line of shell."""
    for host in lab.state.hosts:
        lab.on_host(host, ["sh", "-ec", command])


def bridges_of_containers(lab: Lab) -> None:
    """As Docker and libvirt make them: of one address on every host, up, with a port."""
    for name, address in (("docker0", "198.19.0.1/24"), ("virbr0", "198.19.1.1/24")):
        on_all(
            lab,
            f"ip link add {name} type bridge; ip addr add {address} dev {name}; ip link set {name} up;"
            f"ip link add {name}-a type veth peer name {name}-b; ip link set {name}-a master {name} up;"
            f"ip link set {name}-b up",
        )


def routed_subnets(lab: Lab) -> None:
    """h0, h1 | router h4 | h9, h10: subnets of eight addresses."""
    for host, router in (("h0", 5), ("h1", 5), ("h9", 14), ("h10", 14)):
        change = (
            f"own={ADDRESS}; ip addr del $own dev eth0; ip addr add ${{own%/*}}/29 dev eth0;"
            f"ip route add 198.18.0.0/24 via 198.18.0.{router}"
        )
        lab.on_host(host, ["sh", "-ec", change])
    change = (
        f"ip addr del {ADDRESS} dev eth0; ip addr add 198.18.0.5/29 dev eth0;"
        "ip addr add 198.18.0.14/29 dev eth0; cd /proc/sys/net/ipv4; echo 1 > ip_forward;"
        "echo 0 > conf/all/send_redirects; echo 0 > conf/eth0/send_redirects"
    )
    lab.on_host("h4", ["sh", "-ec", change])


def link_local_scope(lab: Lab) -> None:
    """As those of 169.254.0.0/16."""
    on_all(lab, f"own={ADDRESS}; ip addr del $own dev eth0; ip addr add $own dev eth0 scope link")


def ipv6_alone(lab: Lab) -> None:
    """The lab's host table too."""
    on_all(
        lab,
        f"own={ADDRESS}; ip addr del $own dev eth0;"
        "for one in all eth0 lo; do echo 0 > /proc/sys/net/ipv6/conf/$one/disable_ipv6; done;"
        "own=${own%/*}; ip -6 addr add fd00::${own##*.}/64 dev eth0 nodad",
    )
    names = "".join(f"fd00::{number + 1} {host}\\n" for number, host in enumerate(lab.state.hosts))
    lab.on_host("h0", ["sh", "-ec", f"printf '::1 localhost\\n{names}' > /etc/hosts"])


def udp_dropped_one_way(lab: Lab) -> None:
    block_datagrams_to(lab, "h2")


def multicast_dropped(lab: Lab) -> None:
    for host in lab.state.hosts:
        block_multicast_to(lab, host)


def mixed_mtu(lab: Lab) -> None:
    """Jumbo frames at one host alone, and nobody hears why its packets are lost."""
    lab.on_host("h0", ["ip", "link", "set", "eth0", "mtu", "9000"])
    for host in lab.state.hosts:
        drop_at(lab, host, "meta l4proto icmp")


def ports_of_a_range(lab: Lab) -> None:
    on_all(lab, "echo 40000 40999 > /proc/sys/net/ipv4/ip_local_port_range")
    for host in lab.state.hosts:
        drop_at(lab, host, "udp dport != 40000-40999")


def equal_host_names(lab: Lab) -> None:
    """Hosts that share no folders: Open MPI names those of its sessions by the host."""
    sessions = str(session_directory(lab.directory))
    for host in ("h1", "h2"):
        lab.on_host(host, ["mount", "-t", "tmpfs", "-o", "mode=700", "sessions", sessions])
        lab.on_host(host, ["hostname", "node"])


def little_shared_memory(lab: Lab) -> None:
    on_all(lab, "mount -o remount,size=64k /dev/shm")


def read_only_shared_memory(lab: Lab) -> None:
    on_all(lab, "mount -o remount,ro /dev/shm")


def nothing(lab: Lab) -> None:
    """Ranks are what is unusual."""


# Open MPI's own shared memory needs what is taken away.
ELSEWHERE = {"OMPI_MCA_btl_vader_backing_directory": "/tmp"}
NO_COPIES = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
NONE = {"OMPI_MCA_btl": "self,tcp"}
REFUSED = "event=wire link=none reason="


@dataclass(frozen=True)
class Odd:
    """What is changed, what each rank is started by, and what the job says.

    `provider`: the line by which it is refused there; empty: its results are right too.
    """

    change: Callable[[Lab], None] = nothing
    before: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    says: str = "hosts=4 .* wire=udp multicast=yes"
    provider: str = ""
    hosts: tuple[str, ...] = ("h0", "h1", "h2", "h3")
    of: str = "h0..h3"


ODD = {
    "bridges_of_containers": Odd(bridges_of_containers),
    "routed_subnets": Odd(routed_subnets, hosts=("h0", "h1", "h9", "h10"), of="h0..h10"),
    "ipv6_alone": Odd(
        ipv6_alone,
        says=REFUSED + '"the hosts share no network with an address of each"',
        provider="this host has IPv6 addresses alone",
    ),
    "addresses_of_scope_link": Odd(link_local_scope),
    "mixed_mtu_without_icmp": Odd(mixed_mtu),
    "udp_dropped_one_way": Odd(
        udp_dropped_one_way,
        says=REFUSED + '"datagrams do not reach every host from every other"',
    ),
    "multicast_dropped": Odd(multicast_dropped, says="wire=udp multicast=no"),
    "ports_of_a_range": Odd(ports_of_a_range, says="wire=udp multicast=no"),
    "equal_host_names": Odd(equal_host_names),
    "pid_namespaces": Odd(before=("unshare", "--pid", "--fork"), environment=NONE),
    "little_shared_memory": Odd(little_shared_memory, environment=ELSEWHERE),
    "read_only_shared_memory": Odd(read_only_shared_memory, environment=ELSEWHERE),
    "seccomp": Odd(before=(PYTHON, SECCOMP_WRAPPER), environment=NO_COPIES),
    "no_privilege": Odd(before=("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs")),
    "no_home": Odd(
        before=("env", "-u", "XDG_CACHE_HOME", "HOME=/proc/nobody"), environment={"QUADRILLE_LEARN": "on"}
    ),
}


@pytest.fixture(params=ODD, name="odd")
def odd_fixture(request: pytest.FixtureRequest) -> Odd:
    return ODD[request.param]


@pytest.fixture
def lab(odd: Odd) -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 200, "buffer_kib": 64}],
        "hosts": [{"names": [odd.of], "on": "s0", "ranks": 2}],
    }
    with Lab.up(topology(**tables), "t-odd") as found:
        odd.change(found)
        yield found


def run(lab: Lab, odd: Odd, words: list[str], environment: dict[str, str], *options: str) -> tuple[int, str]:
    variables = {"QUADRILLE_LOG": "start", **odd.environment, **environment}
    line = lab.launcher("ompi4", 7, None, variables, odd.hosts)
    done = start_over_provider([*line, *odd.before, *words], *options, timeout_s=60)
    return done.returncode, done.stdout + done.stderr


def test_collectives_are_right(lab: Lab, odd: Odd) -> None:
    words = [program("collectives", "ompi4"), "stress", "11", "200"]
    code, output = run(
        lab, odd, words, {"QUADRILLE_ALGORITHM": f"{GRANTED},{IN_HOST_MEMORY}"}, "--fabric", "off"
    )
    assert code == 0 and " failures=0" in output, output
    assert re.search(odd.says, output), output


@pytest.mark.usefixtures("provider")
def test_messages_are_right_or_the_provider_says_why_not(lab: Lab, odd: Odd) -> None:
    words = [program("point_to_point", "ompi4"), "300000"]
    code, output = run(lab, odd, words, {}, "--collectives", "off")
    if odd.provider:
        assert code != 0 and odd.provider in output, output
    else:
        assert code == 0 and " failures=0" in output, output


@pytest.mark.usefixtures("provider")
def test_hosts_with_another_version_of_the_provider_are_told(tmp_path: Path) -> None:
    """By its file on one host, in which an endpoint's name begins with other bytes."""
    library = native_directory() / "libquadrille-fi.so"
    contents = library.read_bytes()
    assert b"QFI4" in contents
    other = tmp_path / library.name
    other.write_bytes(contents.replace(b"QFI4", b"QFI9"))
    with Lab.up(resolve("one_switch:hosts=3,rate_mbit=200"), "t-odd") as lab:
        lab.on_host("h2", ["mount", "--bind", str(other), str(library)])
        line = [*lab.launcher("ompi4", 3), program("point_to_point", "ompi4"), "100000"]
        done = start_over_provider(line, "--collectives", "off", timeout_s=60)
    assert done.returncode != 0
    assert "install the same Quadrille on all hosts" in done.stderr, done.stderr
