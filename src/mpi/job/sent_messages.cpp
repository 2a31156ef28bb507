// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/job/sent_messages.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/whole_file.h"

namespace quadrille {
namespace {

constexpr std::size_t size_classes = 65;

// Of one rank, or the sum of all; as MPI adds it up.
struct Sent {
  std::int64_t run_ns = 0;
  std::int64_t point_to_point_ns = 0;
  std::int64_t groups = 0;
  // Calls that some MPI libraries cannot do over every transport.
  std::int64_t one_sided = 0;
  std::int64_t synchronous_sends = 0;
  std::int64_t matched_receives = 0;
  std::array<std::int64_t, size_classes> messages{};
  std::array<std::int64_t, size_classes> bytes{};
};
constexpr int numbers = sizeof(Sent) / sizeof(std::int64_t);

bool has(std::string_view name, std::string_view one, std::string_view other) {
  return name.find(one) != std::string_view::npos || name.find(other) != std::string_view::npos;
}

Sent sent_by(const TimedCalls& calls, Nanoseconds run) {
  Sent sent{.run_ns = run.value, .groups = static_cast<std::int64_t>(calls.groups_of_sends())};
  for (const auto& [kind, sum] : calls.sums()) {
    const auto calls_made = static_cast<std::int64_t>(sum.calls);
    if (std::string_view(kind.part) == one_sided_part) sent.one_sided += calls_made;
    if (std::string_view(kind.part) != point_to_point_part) continue;
    if (has(kind.function, "Ssend", "ssend")) sent.synchronous_sends += calls_made;
    if (has(kind.function, "Mrecv", "mrecv")) sent.matched_receives += calls_made;
    sent.point_to_point_ns += sum.time_ns;
    if (!sends_message(kind.function)) continue;
    sent.messages.at(kind.size_class) += calls_made;
    sent.bytes.at(kind.size_class) += static_cast<std::int64_t>(sum.bytes);
  }
  return sent;
}

// On rank 0; collective.
nlohmann::json partners_of_all(MPI_Comm ranks, int size, const std::vector<int>& own) {
  constexpr int most = Partners::most;
  std::vector<int> padded(own);
  padded.resize(most, MPI_PROC_NULL);
  std::vector<int> all(static_cast<std::size_t>(size) * most);
  PMPI_Gather(padded.data(), most, MPI_INT, all.data(), most, MPI_INT, 0, ranks);
  auto partners = nlohmann::json::array();
  for (auto first = all.begin(); first != all.end(); first += most)
    partners.push_back(std::vector<int>(first, std::find(first, first + most, MPI_PROC_NULL)));
  return partners;
}

}  // namespace

void write_sent_messages(MPI_Comm ranks, const TimedCalls& calls, Nanoseconds run,
                         const std::string& path) {
  const Sent own = sent_by(calls, run);
  Sent all;
  PMPI_Reduce(&own, &all, numbers, MPI_INT64_T, MPI_SUM, 0, ranks);
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(ranks, &rank);
  PMPI_Comm_size(ranks, &size);
  const nlohmann::json partners = partners_of_all(ranks, size, calls.partners());
  if (rank != 0 || path.empty()) return;
  auto sizes = nlohmann::json::array();
  for (std::size_t of = 0; of < size_classes; ++of) {
    const std::int64_t messages = all.messages.at(of);
    if (messages > 0)
      sizes.push_back({{"bytes", all.bytes.at(of) / messages}, {"messages", messages}});
  }
  const auto mean = [size](std::int64_t sum) { return static_cast<double>(sum) / size; };
  const nlohmann::json text{{"run_s", mean(all.run_ns) / 1e9},
                            {"point_to_point_s", mean(all.point_to_point_ns) / 1e9},
                            {"partners", partners},
                            {"groups", all.groups},
                            {"one_sided", all.one_sided},
                            {"synchronous_sends", all.synchronous_sends},
                            {"matched_receives", all.matched_receives},
                            {"sent", sizes}};
  replace_whole_file(path, text.dump() + "\n");
}

}  // namespace quadrille
