# SPDX-License-Identifier: BSD-3-Clause
"""Who reaches whom: hosts left out, firewalls, multicast, and which ways to the wire a host offers."""

from __future__ import annotations

from collections.abc import Iterator

from quadrille.doctor.finding import Case, Finding, HostSettings, Rule, grouped

_LINK_NAMES = {"udp": "UDP", "packet": "AF_PACKET", "xdp": "AF_XDP"}
_TOLD_ELSEWHERE = ("unreachable", "slower_network", "multicast")
_MEASURE_AGAIN = "`quadrille probe` again while the network and the hosts are idle"
# Cause and remedy of a warning, by its topic.
_OWN_WORDS = {
    "shared_machine": (
        "several hosts of this job are namespaces, containers or virtual machines of one machine",
        "nothing has to be done where the program runs like that too; else start one host a machine",
    ),
    "doubtful": (
        "two looks at the network did not agree: others' traffic, or a machine that was busy",
        _MEASURE_AGAIN,
    ),
}
_USUAL_WORDS = ("the measurement could not see all of the network", _MEASURE_AGAIN)


def not_measured(case: Case) -> Iterator[Finding]:
    """Tell why the measurement ended early."""
    for error in case.errors:
        if error.kind == "unsupported" and "UDP" in error.text:
            yield _udp_blocked(case, error.text, tuple(host.name for host in case.hosts))
        elif error.kind == "peer_lost":
            yield Finding(
                "host_lost",
                "error",
                "a host stopped answering while the network was measured",
                error.text,
                "look at the host's console and power; does a plain MPI program run on it?",
            )
        else:
            yield Finding(
                "not_measured",
                "error",
                "the network could not be measured",
                error.text,
                "follow what it says; findings below are of the hosts' settings alone",
            )


def unreachable(case: Case) -> Iterator[Finding]:
    """Find hosts, or ways between them, that the measurement could not use."""
    for warning in case.model.warnings if case.model else []:
        if warning.topic != "unreachable":
            continue
        if warning.text.startswith("UDP") or "hears nobody" in warning.text or "nobody hears" in warning.text:
            yield _udp_blocked(case, warning.text, tuple(warning.hosts))
        else:
            yield Finding(
                "unreachable",
                "error",
                "hosts of this job are not reached on the network that was measured",
                warning.text,
                "compare addresses, masks and routes (`ip address`, `ip route`) with those of hosts that are "
                "reached; `quadrille doctor --interface` chooses another network",
                tuple(warning.hosts),
            )


def multicast(case: Case) -> Iterator[Finding]:
    """Find segments in which multicast does not arrive, or stops arriving after a while."""
    for warning in case.model.warnings if case.model else []:
        if warning.topic == "multicast_stops":
            yield Finding(
                "multicast_dies",
                "warning",
                "multicast works at first and stops: the switch prunes by IGMP (snooping), and "
                "nobody asks for "
                "memberships (no querier)",
                warning.text,
                "turn on the IGMP querier in the switch or router of this network, or turn IGMP snooping off",
                tuple(warning.hosts),
            )
    for segment in case.segments:
        if segment.multicast is False:
            evidence = [f"not every host of {segment.label} hears the others"]
            evidence += [
                warning.text
                for warning in (case.model.warnings if case.model else [])
                if warning.topic == "multicast" and set(warning.hosts) & set(segment.hosts)
            ]
            forced = _forced_igmp(case, segment.hosts)
            yield Finding(
                "multicast_blocked",
                "warning",
                "multicast does not reach all hosts of a segment: the switch drops it, or a firewall does; "
                "broadcasts then take as many messages as there are hosts",
                "; ".join([*evidence, *([forced] if forced else [])]),
                "allow multicast in the switch (IGMP snooping needs a querier) and UDP to 239.0.0.0/8 in the "
                "hosts' firewalls; networks of clouds often have none",
                tuple(segment.hosts),
            )


def usable_links(case: Case) -> Iterator[Finding]:
    """Tell by which ways Quadrille can reach the wire on these hosts, and what others would take."""
    without_udp = {
        host.name: ", ".join(_missing(host, "udp"))
        for host in case.hosts
        if host.get("links", "udp", "usable") is False
    }
    if without_udp:
        yield Finding(
            "no_udp",
            "error",
            "processes may not open UDP sockets on these hosts",
            f"missing: {grouped(without_udp)}",
            "allow them: a container or security policy (seccomp, SELinux) forbids it",
            tuple(without_udp),
        )
    told = {host.name: _links(host) for host in case.hosts if isinstance(host.get("links"), dict)}
    if not told:
        return
    lacking = any("needs" in text for text in told.values())
    yield Finding(
        "links",
        "note",
        "these ways to the wire can be used",
        grouped(told),
        "nothing has to be done; for the faster ways give the program the capabilities named, or run "
        "it as root"
        if lacking
        else "nothing has to be done",
        tuple(told),
    )


def other_warnings(case: Case) -> Iterator[Finding]:
    """Pass on what the measurement warned of and no rule explains."""
    for warning in case.model.warnings if case.model else []:
        if not warning.topic.startswith(_TOLD_ELSEWHERE):
            cause, remedy = _OWN_WORDS.get(warning.topic, _USUAL_WORDS)
            yield Finding(
                f"measured_{warning.topic}", "note", cause, warning.text, remedy, tuple(warning.hosts)
            )


def _udp_blocked(case: Case, text: str, hosts: tuple[str, ...]) -> Finding:
    filters = {host.name: found for host in case.hosts if (found := _packet_filter(host))}
    evidence = text + (f"; packet filters: {grouped(filters)}" if filters else "")
    return Finding(
        "udp_blocked",
        "error",
        "UDP does not get through between hosts though the job could start: a firewall, or hosts that this "
        "network does not connect",
        evidence,
        "allow UDP within the cluster's subnet: `nft list ruleset` or `iptables -S` shows the rules "
        "on a host; "
        "look at security groups and at access lists of the switch too",
        hosts,
    )


def _packet_filter(host: HostSettings) -> str:
    tables = host.get("firewall", "iptables_tables")
    found = [f"iptables ({', '.join(map(str, tables))})"] if tables else []
    if count := host.number("firewall", "nftables_tables"):
        found.append(f"nftables ({count:g} {'table' if count == 1 else 'tables'})")
    return ", ".join(found)


def _forced_igmp(case: Case, hosts: list[str]) -> str:
    versions = {
        host.name: f"IGMP version {next(iter(forced.values()))}"
        for host in case.hosts
        if host.name in hosts and (forced := host.get("multicast", "forced_igmp_version"))
    }
    return f"forced: {grouped(versions)}" if versions else ""


def _missing(host: HostSettings, link: str) -> list[str]:
    missing = host.get("links", link, "missing")
    return [str(one) for one in missing] if isinstance(missing, list) else []


def _links(host: HostSettings) -> str:
    usable = [name for key, name in _LINK_NAMES.items() if host.get("links", key, "usable") is True]
    lacking = [
        f"{name} needs {', '.join(_missing(host, key))}"
        for key, name in _LINK_NAMES.items()
        if host.get("links", key, "usable") is False
    ]
    return ", ".join([" and ".join(usable) or "none", *lacking])


RULES: tuple[Rule, ...] = (not_measured, unreachable, multicast, usable_links, other_warnings)
