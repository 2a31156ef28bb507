// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/wire_log.h"

#include <cstdio>
#include <string>
#include <utility>

namespace quadrille {
namespace {

struct Line {
  std::string event;
  std::vector<std::pair<const char*, std::uint64_t>> counts;
};

Line line_of(const wire::EndpointCounters& own, const wire::FrameCounters& frames,
             const wire::Endpoint::Flows& flows, std::uint32_t budget) {
  return {"wire",
          {{"data_sent", own.data_sent},
           {"bytes_sent", own.bytes_sent},
           {"data_resent", own.data_resent},
           {"runs_sent", own.runs_sent},
           {"stream_sent", own.stream_sent},
           {"data_received", own.data_received},
           {"bytes_received", own.bytes_received},
           {"acks_sent", own.acks_sent},
           {"acks_received", own.acks_received},
           {"probes", own.probes},
           {"group_sent", own.group_sent},
           {"group_received", own.group_received},
           {"group_others", own.group_others},
           {"duplicates", own.duplicates},
           {"losses", own.losses},
           {"refused", own.refused},
           {"forged", own.forged},
           {"malformed", own.malformed},
           {"frames_sent", frames.sent},
           {"frames_received", frames.received},
           {"flows", flows.live},
           {"dormant_flows", flows.dormant},
           {"budget", budget}}};
}

Line line_of(Collective operation, std::uint64_t calls, const wire::FlowStatistics& flows) {
  return {std::string("wire_flow operation=") + name_of(operation),
          {{"calls", calls},
           {"packets", flows.packets},
           {"bytes", flows.bytes},
           {"resent", flows.resent},
           {"credit_wait_us", static_cast<std::uint64_t>(flows.credit_wait.value / 1000)},
           {"stalls", flows.stalls}}};
}

// On rank 0 each count becomes its sum over the ranks. Collective.
void sum_over(MPI_Comm ranks, std::vector<Line>& lines) {
  std::vector<std::uint64_t> mine;
  for (const Line& line : lines) {
    for (const auto& count : line.counts) mine.push_back(count.second);
  }
  std::vector<std::uint64_t> all(mine.size());
  PMPI_Reduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_SUM, 0,
              ranks);
  auto next = all.begin();
  for (Line& line : lines) {
    for (auto& count : line.counts) count.second = *next++;
  }
}

void print(const Line& line) {
  std::string text = "event=" + line.event;
  for (const auto& [name, count] : line.counts)
    text += std::string(" ") + name + "=" + std::to_string(count);
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace

void WireLog::add(Collective operation, const wire::FlowStatistics& flows) {
  const std::scoped_lock lock(mutex_);
  OfOperation& all = operations_[static_cast<std::size_t>(operation)];
  ++all.calls;
  all.flows += flows;
}

void WireLog::write(const wire::Port& port, MPI_Comm ranks) const {
  std::vector<Line> lines{line_of(port.counters(), port.frames(), port.flows(), port.budget())};
  {
    const std::scoped_lock lock(mutex_);
    for (const Collective operation : collectives()) {
      const OfOperation& all = operations_[static_cast<std::size_t>(operation)];
      lines.push_back(line_of(operation, all.calls, all.flows));
    }
  }
  sum_over(ranks, lines);
  int rank = 0;
  PMPI_Comm_rank(ranks, &rank);
  if (rank != 0) return;
  for (const Line& line : lines) {
    // Data are sent as soon as there is a port; an operation without calls has nothing to tell.
    if (line.counts.front().second > 0) print(line);
  }
}

}  // namespace quadrille
