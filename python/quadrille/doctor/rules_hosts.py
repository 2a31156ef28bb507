# SPDX-License-Identifier: BSD-3-Clause
"""How hosts are set up: TCP, clock, processor, buffers."""

from __future__ import annotations

from collections.abc import Iterator

from quadrille.doctor.finding import Case, Finding, HostSettings, Rule, grouped, names
from quadrille.model.quantities import bytes_text

_KERNELS_MINIMUM_US = 200_000.0
"""TCP's minimum retransmission time where nothing else is set (TCP_RTO_MIN of Linux)."""
_LONG_US = 50_000.0
_STEAL = 0.05
_PRESSURE_PERCENT = 40.0


def retransmission_time(case: Case) -> Iterator[Finding]:
    """Find TCP waiting 200 ms for what a LAN could repeat after a few."""
    waits_us = {host.name: _rto_min_us(case, host) for host in case.hosts}
    long = {host: wait for host, wait in waits_us.items() if wait > _LONG_US}
    if not long:
        return
    timeouts = case.counted("tcp_retransmission_timeouts", "mpi")
    evidence = grouped({host: f"{wait / 1000:g} ms" for host, wait in long.items()})
    if timeouts:
        evidence += (
            f"; TCP waited that long {sum(timeouts.values())} times during the MPI library's collectives"
        )
    yield Finding(
        "long_retransmission_time",
        "warning" if timeouts else "note",
        "TCP waits at least this long before it repeats a frame that was lost, hundreds of times the round "
        "trip here: a lost frame stalls all ranks for that time",
        evidence,
        "Linux 6.11 and later: `sysctl -w net.ipv4.tcp_rto_min_us=20000`; earlier: `ip route change "
        "SUBNET dev "
        "IFACE rto_min 20ms` for the cluster's subnet on every host",
        tuple(long),
    )


def congestion_control(case: Case) -> Iterator[Finding]:
    """Find hosts whose TCP behaves otherwise than the others', or as for the wide world."""
    used = {host.name: chosen for host in case.hosts if (chosen := _congestion_control(case, host))}
    if len(set(used.values())) > 1:
        yield Finding(
            "congestion_control_differs",
            "warning",
            "hosts use different congestion control in TCP: one kind takes rate from the other, and "
            "times vary",
            grouped(used),
            "set one on all: `sysctl -w net.ipv4.tcp_congestion_control=cubic`",
            tuple(used),
        )
    elif set(used.values()) == {"bbr"}:
        yield Finding(
            "congestion_control_bbr",
            "note",
            "TCP uses bbr, made for long ways: in switches with small buffers it floods more than cubic does",
            f"bbr on {names(used)}",
            "compare with `sysctl -w net.ipv4.tcp_congestion_control=cubic` (dctcp where switches "
            "mark frames)",
            tuple(used),
        )


def clock(case: Case) -> Iterator[Finding]:
    """Find hosts whose clock nobody corrects."""
    loose = [host.name for host in case.hosts if host.get("clock", "synchronised") is False]
    if loose:
        yield Finding(
            "clock_not_synchronised",
            "note",
            "the clocks of these hosts are not kept synchronised: logs of different hosts do not match, file "
            "times confuse build tools",
            f"the kernel says so on {names(loose)}",
            "run chrony or ntpd on every host (`chronyc tracking`, `timedatectl`); containers take "
            "their host's "
            "clock",
            tuple(loose),
        )


def processor(case: Case) -> Iterator[Finding]:
    """Find machines with more to run than cores; hosts that are parts of one machine count together."""
    machines: dict[str, list[HostSettings]] = {}
    for host in case.hosts:
        machines.setdefault(str(host.get("machine") or host.name), []).append(host)
    for hosts in machines.values():
        load = max((host.number("load_average_1_min") or 0 for host in hosts), default=0)
        pressure = max((host.number("cpu_pressure_percent_10_s") or 0 for host in hosts), default=0)
        cores = hosts[0].number("cores") or 1
        # Each host's own agent is one process that may run.
        if load > cores + len(hosts) or (pressure > _PRESSURE_PERCENT and load > cores):
            yield _overloaded(hosts, load, cores, pressure)
    for host in case.hosts:
        steal = host.number("steal_share_since_boot") or 0
        if steal > _STEAL:
            yield Finding(
                "stolen_time",
                "warning",
                "the hypervisor takes the cores of this virtual machine away for others: ranks stand still",
                f"{steal:.0%} of the time since {host.name} was started was stolen",
                "ask for dedicated cores, or move the machine to another server",
                (host.name,),
            )


def limited_cores(case: Case) -> Iterator[Finding]:
    """Find containers that may use fewer cores than they see."""
    for host in case.hosts:
        limit, cores = host.number("container", "cpu_limit_cores"), host.number("cores")
        if limit is not None and cores is not None and limit < cores:
            yield Finding(
                "limited_cores",
                "note",
                "the container may use less processor time than it sees cores: ranks are stopped when it is "
                "used up",
                f"{host.name} sees {cores:g} cores and may use {limit:g}",
                "start no more ranks than that, or raise the limit of the container",
                (host.name,),
            )


def receive_buffers(case: Case) -> Iterator[Finding]:
    """Find hosts whose sockets may hold less than what may arrive at once."""
    small: dict[str, str] = {}
    needed = 0.0
    for host in case.hosts:
        segment, allowed = case.segment_of(host.name), host.number("buffers", "rmem_max_bytes")
        burst = segment.safe_burst_bytes if segment else None
        if burst is not None and allowed is not None and allowed < burst:
            small[host.name] = bytes_text(allowed)
            needed = max(needed, burst)
    if small:
        yield Finding(
            "small_receive_buffers",
            "warning",
            "sockets on these hosts may hold less than the network delivers at once: datagrams are "
            "lost at the "
            "end of their way",
            f"at most {grouped(small)}; {bytes_text(needed)} may arrive at once",
            f"`sysctl -w net.core.rmem_max={_power_of_two(4 * needed)}` (and in /etc/sysctl.d)",
            tuple(small),
        )


def _rto_min_us(case: Case, host: HostSettings) -> float:
    """Return the least time, as set for the measured interface's route or for the host."""
    interface = case.interface_of(host)
    routes = host.get("tcp", "routes")
    for route in routes if isinstance(routes, list) else []:
        if route.get("interface") == interface and "tcp_rto_min_ms" in route:
            return float(route["tcp_rto_min_ms"]) * 1000
    return host.number("tcp", "rto_min_us") or _KERNELS_MINIMUM_US


def _congestion_control(case: Case, host: HostSettings) -> str | None:
    interface = case.interface_of(host)
    routes = host.get("tcp", "routes")
    for route in routes if isinstance(routes, list) else []:
        if route.get("interface") == interface and "congestion_control" in route:
            return str(route["congestion_control"])
    chosen = host.get("tcp", "congestion_control")
    return str(chosen) if chosen else None


def _overloaded(hosts: list[HostSettings], load: float, cores: float, pressure: float) -> Finding:
    waits = f"; somebody waited for a core {pressure:.0f} % of the last 10 s" if pressure else ""
    return Finding(
        "processor_overloaded",
        "warning",
        "more runs on this machine than it has cores: ranks wait for the processor instead of the "
        "network, and "
        "figures of the network are less certain",
        f"load {load:.1f} on {cores:g} cores during the last minute{waits}",
        "look for other work (`top`), start fewer ranks, or use whole machines",
        tuple(host.name for host in hosts),
    )


def _power_of_two(size: float) -> int:
    power = 1
    while power < size:
        power *= 2
    return power


RULES: tuple[Rule, ...] = (
    retransmission_time,
    congestion_control,
    clock,
    processor,
    limited_cores,
    receive_buffers,
)
