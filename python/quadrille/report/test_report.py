# SPDX-License-Identifier: BSD-3-Clause
"""The report's parts, on the example results; tests/report opens whole pages in a browser."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from quadrille.bench.results_file import Results, Run, read_results
from quadrille.report.charts import ratio_chart, time_chart
from quadrille.report.formatting import count_text, percent_text, size_text, speed_text, time_text
from quadrille.report.grouping import Series, groups_of
from quadrille.report.page import point_command, render_page
from quadrille.report.summary import replaced_share, summary_sentences, warning_sentences
from quadrille.report.tables import flows_table, programs_table, stalls_table
from quadrille.report.topology_picture import hosts_only, topology_svg

EXAMPLES = Path(__file__).resolve().parents[3] / "schemas" / "examples"


def bench() -> Results:
    return read_results([EXAMPLES / "results_bench.jsonl"])


def series(collective: str = "alltoall") -> Series:
    return groups_of(bench().runs)[0].series(collective)[0]


def test_numbers_are_written_with_units() -> None:
    assert [size_text(n) for n in (0, 1023, 1024, 1536, 3 << 20)] == [
        "0 B",
        "1023 B",
        "1 KiB",
        "1.5 KiB",
        "3 MiB",
    ]
    assert [time_text(n) for n in (7, 12_300, 999_600, 4_560_000, 1.5e9)] == [
        "7 ns",
        "12.3 us",
        "1000 us",
        "4.56 ms",
        "1.5 s",
    ]
    assert [count_text(mean) for mean in (0, 0.05, 17.5, 1234.4)] == ["0", "0.05", "17.5", "1234"]
    assert percent_text(None) == "–" and percent_text(74.2) == "74 %"
    assert speed_text(0.5) == "2.00 times as fast" and speed_text(1.5) == "1.50 times as slow"
    assert speed_text(1.01) == "equally fast"


def test_summary_opens_with_what_was_measured_and_names_best_and_worst() -> None:
    text = " ".join(summary_sentences(bench()))
    assert text.startswith("4 points on up to 16 hosts of an emulated cluster with Open MPI 4.1.4.")
    assert "Best: alltoall of 32 KiB on 16 ranks, 2.1" in text
    assert "Worst: alltoall of 8 KiB on 16 ranks, 1.1" in text
    assert "all were right" in text


def test_replaced_share_counts_calls_not_points() -> None:
    points = [point for point in bench().points() if point.collective == "alltoall"]
    assert replaced_share(points) == 1.0
    assert 0 < replaced_share(bench().points()) < 1


def test_forwarded_points_are_no_success_of_ours() -> None:
    results = bench()
    forwarded = [p for p in results.points() if p.blocks.quadrille.executor == "mpi"]
    text = " ".join(summary_sentences(Results([Run(results.runs[0].facts, forwarded)])))
    assert "carried out 0 %" in text
    assert "Best" not in text


def test_warnings_name_cut_off_runs_and_wrong_results() -> None:
    results = bench()
    results.runs[0].end = None
    point = results.runs[0].points[0].model_copy(update={"wrong_results": 3})
    results.runs[0].points[0] = point
    text = " ".join(warning_sentences(results))
    assert "cut off" in text and "3 results did not verify" in text


def test_time_chart_shows_medians_bands_and_the_limit() -> None:
    shown = series()
    figure = time_chart(shown)
    names = [trace.get("name") for trace in figure["data"] if trace.get("name")]
    assert names == ["MPI library", "Quadrille", "limit of the wire"]
    native = next(trace for trace in figure["data"] if trace.get("name") == "MPI library")
    assert native["y"] == [point.blocks.native.median_ns / 1e6 for point in shown.points]
    limit = figure["data"][-1]
    assert limit["y"] == [point.bound.framed_ns / 1e6 for point in shown.points if point.bound]
    assert figure["layout"]["xaxis"]["type"] == "log"
    assert figure["layout"]["xaxis"]["ticktext"] == ["8 KiB", "32 KiB"]


def test_markers_of_forwarded_calls_are_open() -> None:
    def symbols(collective: str) -> set[str]:
        trace = next(t for t in time_chart(series(collective))["data"] if t.get("name") == "Quadrille")
        return set(trace["marker"]["symbol"])

    assert symbols("alltoall") == {"circle"}
    assert symbols("bcast") == {"circle-open"}


def test_ratio_chart_holds_every_value_inside_its_axis() -> None:
    figure = ratio_chart(series())
    low, high = (10**end for end in figure["layout"]["yaxis"]["range"])
    for trace in figure["data"]:
        assert all(low < value < high for value in trace["y"])
    assert 1 in figure["layout"]["yaxis"]["tickvals"]


def test_runs_with_another_mpi_get_their_own_charts() -> None:
    results = bench()
    other = results.runs[0].facts.model_copy(update={"mpi_library": "MPICH Version:      5.0.2"})
    groups = groups_of([*results.runs, Run(other, results.points())])
    assert [group.label.split(",")[0] for group in groups] == ["Open MPI 4.1.4", "MPICH 5.0.2"]


def test_programs_stand_side_by_side_with_their_ratio() -> None:
    html = programs_table(read_results([EXAMPLES / "results_program.jsonl"]).programs)
    assert "example program" in html and "0.750" in html and "quadrille run -- mpirun" in html


def test_stalls_are_listed_or_denied() -> None:
    points = bench().points()
    assert "stalled calls" in stalls_table(points)
    calm = [p for p in points if not any(m.native.stalls + m.quadrille.stalls for _, m in p.measurements())]
    assert "No call took more than 50 ms" in stalls_table(calm)


def test_flows_are_shown_where_calls_went_by_datagrams_and_nothing_where_none_did() -> None:
    assert flows_table(bench().points()) == ""
    assert "Datagrams" not in render_page(bench())
    results = read_results([EXAMPLES / "results_wire.jsonl"])
    (point,) = results.points()
    flows = point.blocks.quadrille.flows
    assert flows is not None
    html = flows_table([point])
    assert count_text(flows.packets) in html and time_text(flows.credit_wait_ns / point.ranks) in html
    assert "Datagrams" in render_page(results)


def test_topology_draws_each_segment_host_and_trunk_once() -> None:
    network = {
        "bridges": [
            {"name": "core", "kind": "switch", "hosts": []},
            {"name": "s0", "kind": "switch", "hosts": ["a", "b"]},
            {"name": "b<1>", "kind": "bus", "hosts": ["c"], "bus_rate_bit_s": 10e6},
        ],
        "segments": [],
        "hosts": [
            {"name": "a", "to_host_bit_s": 25e6, "from_host_bit_s": 25e6},
            {"name": "b", "to_host_bit_s": 25e6, "from_host_bit_s": 5e6, "loss_to_host": 0.01},
        ],
        "trunks": [
            {"between": ["core", "s0"], "rate_bit_s": 50e6, "delay_ns": 2_000_000},
            {"between": ["core", "b<1>"], "rate_bit_s": 10e6},
        ],
    }
    root = ElementTree.fromstring(topology_svg(network))
    names = {element.tag.rsplit("}")[-1] for element in root.iter()}
    assert {"rect", "line", "text"} <= names
    text = " ".join(element.text or "" for element in root.iter())
    for part in (
        "bus b<1>",
        "10 Mbit/s shared",
        "25 Mbit/s a port",
        "50 Mbit/s, 2 ms",
        "b: 5 Mbit/s out, 1 % lost in",
    ):
        assert part in text, part
    assert len(re.findall(r'class="host', topology_svg(network))) == 3
    assert topology_svg(network).count('class="trunk"') == 2


def test_without_rates_the_picture_shows_the_hosts() -> None:
    assert "rate unknown" in topology_svg(hosts_only(["a", "b"]))


def test_page_asks_for_nothing_from_any_network() -> None:
    page = render_page(bench())
    assert "default-src 'none'" in page
    without_plotly = re.sub(r"<script[^>]*>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//""", without_plotly)
    assert "@import" not in without_plotly and "url(" not in without_plotly


def test_page_escapes_what_results_say() -> None:
    results = bench()
    results.runs[0].facts = results.runs[0].facts.model_copy(
        update={"mpi_library": "<script>alert(1)</script>"}
    )
    assert "<script>alert(1)" not in render_page(results)


def test_each_point_has_the_command_that_repeats_it() -> None:
    point = series().points[0]
    command = point_command(point, ["mpirun", "-np", "16"])
    assert command.startswith("quadrille bench --collective alltoall --bytes 8192 --ranks 16")
    assert command.endswith("-- mpirun -np 16")


def test_a_sort_is_repeated_by_its_sizes_and_marked_where_it_swapped() -> None:
    results = read_results([EXAMPLES / "results_sort.jsonl"])
    (point,) = results.points()
    assert "--vectors 4800 --doubles 3 --ranks 4" in point_command(point, ["mpirun"])
    assert "swapped" not in render_page(results)
    assert point.sort is not None
    sort = point.sort.model_copy(update={"swapped": True})
    results.runs[0].points = [point.model_copy(update={"sort": sort})]
    assert "swapped: a disk's time" in render_page(results)


def test_runs_that_measured_the_same_point_are_kept_apart() -> None:
    results = bench()
    (group,) = groups_of([*results.runs, *bench().runs])
    series = group.series("alltoall")
    assert [len(one.points) for one in series] == [2, 2]
    assert all(len({one.x(point) for point in one.points}) == len(one.points) for one in series)
