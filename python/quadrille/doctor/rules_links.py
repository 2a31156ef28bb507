# SPDX-License-Identifier: BSD-3-Clause
"""Links that are slower or other than their peers: cables, modes, trunks, MTU."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from quadrille.doctor.finding import Case, Finding, Rule, grouped, names
from quadrille.model.contract import ModelHost, NetworkModel, Segment, Trunk
from quadrille.model.quantities import rate_text, share_text

_SLOWER = 0.8
"""A rate below this share of its peers' is no measurement error."""
_FEW_PEERS = 3
_BUSY = 0.25
_FAST_BIT_S = 2e9
"""At this rate packets of 1500 bytes come every 6 us: about what one costs a processor by itself."""
_JOINING = {"gso": "gso", "gro": "gro", "tx_checksum": "tx", "scatter_gather": "sg"}
"""What cutting and joining of packets needs, as the prober and as `ethtool -K` call it."""
_UDP_SEGMENTS = "tx-udp-segmentation"


def slow_links(case: Case) -> Iterator[Finding]:
    """Find hosts whose own link is slower than that of their segment's others, in one direction or both."""
    for segment in case.segments:
        hosts = [case.model_hosts[name] for name in segment.hosts if name in case.model_hosts]
        usual_out = _usual(host.from_host_bit_s for host in hosts)
        usual_in = _usual(host.to_host_bit_s for host in hosts)
        if segment.kind == "bus" or usual_out is None or usual_in is None:
            continue
        for host in hosts:
            slow_out = _below(host.from_host_bit_s, usual_out)
            slow_in = _below(host.to_host_bit_s, usual_in)
            if slow_out and slow_in:
                yield _slow_both_ways(case, host, usual_out)
            elif slow_out or slow_in:
                yield _slow_one_way(host, slow_out, usual_out if slow_out else usual_in)


def busy_links(case: Case) -> Iterator[Finding]:
    """Find hosts much of whose link something else takes: traffic, or a limit that looks like it."""
    for host in case.model_hosts.values():
        shares = (("from", host.ambient_from_host_share), ("to", host.ambient_to_host_share))
        busy = [(way, share) for way, share in shares if share is not None and share >= _BUSY]
        if busy:
            yield Finding(
                "busy_link",
                "warning",
                "a large part of this host's link is not there for programs: other traffic uses it, or the "
                "link is limited below its rate",
                f"{_rates(host)}; "
                + ", ".join(f"{share_text(share)} {way} the host is taken" for way, share in busy),
                "see whether something sends or receives while no program runs "
                f"(`ip -s link show {host.interface or 'IFACE'}`, twice); if nothing does, look for a rate "
                "limit (`tc qdisc show`, the switch's port)",
                (host.name,),
            )


def single_packets(case: Case) -> Iterator[Finding]:
    """Find fast interfaces of which every packet passes the kernel by itself."""
    off: dict[str, str] = {}
    words: set[str] = set()
    for name, interface, offloads in _fast_offloads(case):
        missing = [word for key, word in _JOINING.items() if offloads.get(key) is False]
        if missing:
            off[name] = f"{', '.join(missing)} off at {interface}"
            words.update(missing)
    if off:
        yield Finding(
            "single_packets",
            "warning",
            "interfaces of these hosts do not cut and join packets: each passes the kernel by itself, and "
            "processors are used up before the link is, by TCP and by the wire",
            grouped(off),
            f"`ethtool -K IFACE {' '.join(f'{word} on' for word in sorted(words))}`, or a driver that can",
            tuple(off),
        )


def single_datagrams(case: Case) -> Iterator[Finding]:
    """Find fast interfaces that cut what TCP sends and not what UDP does."""
    off = {
        name: f"{_UDP_SEGMENTS} off at {interface}"
        for name, interface, offloads in _fast_offloads(case)
        if offloads.get("tso") is True and offloads.get("udp_segmentation") is False
    }
    if off:
        yield Finding(
            "single_datagrams",
            "note",
            "interfaces of these hosts cut what TCP sends and not what UDP does, as in many clouds: long "
            "messages go over TCP connections, which receivers grant as they do datagrams; multicast takes "
            "more of a processor",
            grouped(off),
            f"`ethtool -K IFACE {_UDP_SEGMENTS} on` where the driver can; else nothing",
            tuple(off),
        )


def _fast_offloads(case: Case) -> Iterator[tuple[str, str | None, dict[str, object]]]:
    """Return of each host with a fast interface its name, the interface's, and what that cuts and joins."""
    for host in case.hosts:
        interface = case.interface_of(host)
        measured = case.model_hosts.get(host.name)
        settings = host.interface(interface)
        stated = settings.get("speed_mbit_s")
        rate = max(
            stated * 1e6 if isinstance(stated, int | float) else 0.0,
            (measured.from_host_bit_s or 0.0) if measured else 0.0,
        )
        offloads = settings.get("offloads")
        if rate >= _FAST_BIT_S and isinstance(offloads, dict):
            yield host.name, interface, offloads


def half_duplex(case: Case) -> Iterator[Finding]:
    """Find interfaces that cannot send and receive at once."""
    for host in case.hosts:
        interface = case.interface_of(host)
        if interface is not None and host.interface(interface).get("duplex") == "half":
            yield Finding(
                "half_duplex",
                "error",
                "the interface runs at half duplex: it cannot send and receive at once, and collides with a "
                "switch port at full duplex",
                f"{host.name} says duplex half of {interface}",
                f"let both sides negotiate: `ethtool -s {interface} autoneg on`, and the same on the "
                "switch's "
                "port; never fix the speed on one side only",
                (host.name,),
            )


def mtu_mismatch(case: Case) -> Iterator[Finding]:
    """Find segments whose hosts send frames of different length."""
    for segment in case.segments:
        sizes = {
            name: str(host.mtu_bytes)
            for name in segment.hosts
            if (host := case.model_hosts.get(name)) is not None and host.mtu_bytes
        }
        if len(set(sizes.values())) > 1:
            common = max(sizes.values(), key=list(sizes.values()).count)
            odd = tuple(name for name, size in sizes.items() if size != common)
            yield Finding(
                "mtu_mismatch",
                "error",
                "hosts of one segment have different MTUs: long frames of one are dropped by another, and "
                "connections hang when they carry much",
                f"MTU {grouped(sizes)}",
                f"give all the same: `ip link set dev IFACE mtu {common}`, and make it last in the network "
                "configuration",
                odd,
            )


def narrow_trunks(case: Case) -> Iterator[Finding]:
    """Find groups of ports behind a trunk that carries fewer of them than there are."""
    if case.model is None:
        return
    for trunk in case.model.trunks:
        group = _smaller_side(case.model, trunk)
        rates = [case.model_hosts[name].from_host_bit_s for name in group if name in case.model_hosts]
        known = [rate for rate in rates if rate]
        both = [rate for rate in (trunk.forward_bit_s, trunk.backward_bit_s) if rate]
        if not both or len(known) < len(group) or not known:
            continue
        busy = max(int(min(both) / median(known) + 0.1), 0)
        if busy >= len(group):
            continue
        loses = any(set(one.hosts) & set(group) and one.lossless is False for one in case.segments)
        yield Finding(
            "narrow_trunk",
            "warning" if loses else "note",
            f"{len(group)} ports share a way to the others that carries {_ports(busy)} at full rate"
            + ("; when more are busy at once, frames are lost" if loses else ""),
            f"the trunk {trunk.label} carries {rate_text(min(both))}, the hosts behind it "
            f"{rate_text(sum(known))} together",
            "give the trunk a higher rate, connect some of these hosts to another port group, or keep "
            f"neighbouring ranks on {names(group)}",
            tuple(group),
        )


def _usual(rates: Iterator[float | None]) -> float | None:
    known = [rate for rate in rates if rate]
    return median(known) if len(known) >= _FEW_PEERS else None


def _below(rate: float | None, usual: float) -> bool:
    return rate is not None and rate < _SLOWER * usual


def _slow_both_ways(case: Case, host: ModelHost, usual: float) -> Finding:
    settings = next((one for one in case.hosts if one.name == host.name), None)
    speed = settings.interface(host.interface).get("speed_mbit_s") if settings else None
    stated = f"; its driver states {rate_text(speed * 1e6)}" if isinstance(speed, int | float) else ""
    return Finding(
        "slow_link",
        "error",
        "the link of this host is slower than its peers'; collectives wait for it",
        f"{_rates(host)}; its peers reach {rate_text(usual)}{stated}",
        f"look at what was negotiated (`ethtool {host.interface or 'IFACE'}`), at the cable, the "
        "switch's port, "
        "and for a rate limit (`tc qdisc show`)",
        (host.name,),
    )


def _slow_one_way(host: ModelHost, out: bool, usual: float) -> Finding:
    interface = host.interface or "IFACE"
    return Finding(
        "one_directional_link",
        "error",
        f"the link of this host is slow in one direction: {'from' if out else 'to'} the host",
        f"{_rates(host)}; its peers reach {rate_text(usual)}",
        "a duplex mismatch, a damaged pair of wires or fibre, or a rate limit in one direction: compare "
        f"`ethtool {interface}` with the switch's port, look at `ethtool -S {interface}` and `tc "
        "qdisc show`, "
        "change the cable",
        (host.name,),
    )


def _rates(host: ModelHost) -> str:
    out = rate_text(host.from_host_bit_s) if host.from_host_bit_s else "an unknown rate"
    into = rate_text(host.to_host_bit_s) if host.to_host_bit_s else "an unknown rate"
    return f"{host.name} sends {out} and receives {into}"


def _smaller_side(model: NetworkModel, cut: Trunk) -> list[str]:
    """Return the hosts on that side of trunk `cut` which has fewer, its first side where both are equal."""
    sides = [_hosts_from(model, end, cut) for end in cut.between]
    return min(sides, key=len)


def _hosts_from(model: NetworkModel, start: str, cut: Trunk) -> list[str]:
    segments: dict[str, Segment] = {segment.label: segment for segment in model.segments}
    reached, open_ends = {start}, [start]
    while open_ends:
        place = open_ends.pop()
        for trunk in model.trunks:
            if trunk is not cut and place in trunk.between:
                ends = [end for end in trunk.between if end not in reached]
                reached.update(ends)
                open_ends += ends
    return [host for name in sorted(reached) if name in segments for host in segments[name].hosts]


def _ports(count: int) -> str:
    return "not even one" if count == 0 else f"only {count}"


RULES: tuple[Rule, ...] = (
    slow_links,
    busy_links,
    single_packets,
    single_datagrams,
    half_duplex,
    mtu_mismatch,
    narrow_trunks,
)
