# SPDX-License-Identifier: BSD-3-Clause
"""Where frames are lost: in switches whose ports overflow, in hosts that do not take them, on bad cables."""

from __future__ import annotations

from collections.abc import Iterator

from quadrille.doctor.finding import Case, Finding, Rule, names
from quadrille.model.quantities import bytes_text, share_text

_WORTH_TELLING = 0.001
"""Share of TCP's segments; below it, losses of any network that is in use."""
_FEW_SEGMENTS = 5
_MANY = 0.01


def loss_under_all_to_all(case: Case) -> Iterator[Finding]:
    """Find TCP's retransmissions while the MPI library's own collectives ran on a network without errors."""
    again = case.counted("tcp_retransmitted_segments", "mpi")
    total = sum(again.values())
    sent = sum(case.counted("tcp_sent_segments", "mpi").values())
    if total < _FEW_SEGMENTS or total < _WORTH_TELLING * sent:
        return
    timeouts = sum(case.counted("tcp_retransmission_timeouts", "mpi").values())
    if case.segments and all(segment.lossless for segment in case.segments):
        yield Finding(
            "loss_outside_segments",
            "warning",
            "frames are lost between segments or in hosts: ports inside the segments lose nothing",
            _retransmitted(total, sent, timeouts),
            "look at the switches' counters of the ports between them (output drops), and give those links "
            "flow control or a higher rate",
            tuple(again),
        )
        return
    yield Finding(
        "no_flow_control",
        "error" if timeouts > 0 or total > _MANY * sent else "warning",
        "switch ports overflow when several hosts send to one at once, as in all-to-all: there is no working "
        "flow control, and the buffers are small",
        "; ".join((_retransmitted(total, sent, timeouts), *_small_buffers(case), *_pause_off(case))),
        _flow_control_remedy(case),
        tuple(again),
    )


def small_buffers(case: Case) -> Iterator[Finding]:
    """Tell of switches that lose frames when flooded, where MPI has not yet suffered from it."""
    if next(loss_under_all_to_all(case), None) is not None:
        return
    small = [one for one in case.segments if one.lossless is False and one.safe_burst_bytes is not None]
    for segment in small:
        yield Finding(
            "small_buffers",
            "note",
            "this switch loses frames when more arrives for one port than it can hold; it has no "
            "working flow "
            "control",
            "; ".join(_small_buffers(case, segment.label)),
            "nothing has to be done while programs see no loss; otherwise: " + _flow_control_remedy(case),
            tuple(segment.hosts),
        )


def receive_losses(case: Case) -> Iterator[Finding]:
    """Find hosts whose own kernel dropped what the network had delivered."""
    softnet = case.counted("softnet_dropped", "probe")
    if softnet:
        yield Finding(
            "kernel_queue_overflows",
            "warning",
            "the kernel drops frames that have arrived: its queue of frames not yet looked at is too "
            "short, or "
            "the cores are busy",
            _by_host("frames dropped (softnet)", softnet),
            "raise the queue: `sysctl -w net.core.netdev_max_backlog=5000`; spread the interface's "
            "interrupts "
            "over several cores",
            tuple(softnet),
        )
    sockets = case.counted("udp_receive_buffer_errors", "probe")
    if sockets:
        yield Finding(
            "socket_buffers_overflow",
            "warning",
            "datagrams were dropped at the end of their way because a socket's receive buffer was full",
            _by_host("datagrams dropped", sockets),
            "allow larger buffers: `sysctl -w net.core.rmem_max=16777216`; keep other work off the cores",
            tuple(sockets),
        )


def bad_cables(case: Case) -> Iterator[Finding]:
    """Find interfaces that received damaged frames while they were measured."""
    for host in case.hosts:
        interface = case.interface_of(host)
        if interface is None:
            continue
        damaged = host.counters.probe.get(f"{interface}.rx_errors", 0)
        missed = host.counters.probe.get(f"{interface}.rx_dropped", 0)
        if damaged > 0:
            yield Finding(
                "damaged_frames",
                "error",
                "frames arrive damaged: a bad cable, connector or port, or one side at half duplex",
                f"{damaged} receive errors on {interface} of {host.name} within the measurement",
                f"replace the cable, try another switch port, and look at `ethtool -S {interface}`",
                (host.name,),
            )
        elif missed > 0 and "softnet_dropped" not in host.counters.probe:
            yield Finding(
                "interface_drops",
                "warning",
                "the interface drops frames that have arrived: its ring of receive buffers is too short",
                f"{missed} frames dropped on {interface} of {host.name} within the measurement",
                f"lengthen the ring: `ethtool -G {interface} rx MAXIMUM` (`ethtool -g {interface}` tells it)",
                (host.name,),
            )


def _retransmitted(total: int, sent: int, timeouts: int) -> str:
    share = f" ({share_text(total / sent)})" if sent else ""
    waits = f", {timeouts} of them after a retransmission timeout" if timeouts else ""
    return f"TCP sent {total} segments again{share} during the MPI library's collectives{waits}"


def _small_buffers(case: Case, only: str | None = None) -> Iterator[str]:
    for segment in case.segments:
        burst = segment.safe_burst_all_ports_bytes or segment.safe_burst_bytes
        if burst is not None and not segment.lossless and only in (None, segment.label):
            yield f"a port of {segment.label} holds {bytes_text(burst)} before it loses frames"


def _pause_off(case: Case) -> Iterator[str]:
    off = [
        host.name
        for host in case.hosts
        if (pause := case_pause(case, host.name)) is not None and not (pause[0] and pause[1])
    ]
    if off:
        yield f"flow control (pause) is off in the interfaces of {names(off)}"


def case_pause(case: Case, name: str) -> tuple[bool, bool] | None:
    """Return whether the measured interface of host `name` heeds and sends pause frames; None: not told."""
    host = next((one for one in case.hosts if one.name == name), None)
    pause = host.interface(case.interface_of(host)).get("pause") if host else None
    return (bool(pause.get("rx")), bool(pause.get("tx"))) if isinstance(pause, dict) else None


def _flow_control_remedy(case: Case) -> str:
    used = sorted({interface for host in case.hosts if (interface := case.interface_of(host))})
    interface = used[0] if len(used) == 1 else "IFACE"
    return (
        "turn on flow control (IEEE 802.3x pause) in both directions in the configuration of the switch's "
        "ports (often `flowcontrol receive on` and `flowcontrol send on`), and on every host "
        f"`ethtool -A {interface} rx on tx on`: only both sides together work"
    )


def _by_host(what: str, counts: dict[str, int]) -> str:
    return f"{what}: " + ", ".join(f"{count} on {host}" for host, count in counts.items())


RULES: tuple[Rule, ...] = (loss_under_all_to_all, small_buffers, receive_losses, bad_cables)
