// SPDX-License-Identifier: BSD-3-Clause
// Asking the mapping on rank 0, making the communicator everywhere. What is sent between processes
// before the new communicator is there are collectives on the user's, which its point-to-point
// receives do not see; afterwards the new one is used, which nobody else knows.
#include "mpi/communicator/reordered_parent.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "base/monotonic_clock.h"
#include "mpi/communicator/attachment.h"
#include "mpi/job/runtime.h"
#include "network/model/model_rates.h"

namespace quadrille {
namespace {

// Of a distributed graph, all processes together: rank 0 holds up to 12 MiB of them as received and
// six times as much while it sorts them. Beyond, the MPI library is left to itself.
constexpr std::int64_t kMostEdges = std::int64_t{1} << 20U;

// By QUADRILLE_REORDER, the same on all ranks. Whoever asks for "all" asks for grids, too.
bool asked_for(std::string_view topologies) {
  const Runtime* runtime = Runtime::active();
  if (runtime == nullptr) return false;
  const std::string& asked = runtime->settings().reorder;
  return asked == "all" || asked == topologies;
}

bool is_rank_0(MPI_Comm communicator) {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  return rank == 0;
}

// Null where the communicator is left to the MPI library, as of one rank: the same on all ranks.
Communicator* at_work_on(MPI_Comm communicator, const char* operation) {
  Attachment* const attachment = Attachment::find(communicator);
  return attachment != nullptr ? attachment->communicator(operation) : nullptr;
}

int size_of(MPI_Comm communicator) {
  int size = 0;
  PMPI_Comm_size(communicator, &size);
  return size;
}

NetworkTree tree_for(const TopologyView& places) {
  std::uint32_t segments = 1;
  for (const std::uint32_t segment : places.segment_of_host)
    segments = std::max(segments, segment + 1);
  const NetworkModel* model = Runtime::active()->model();
  return {model != nullptr ? segment_rates_of(*model) : NetworkRates{}, segments};
}

void log_mapping(const char* operation, const RankMapping& mapping, Nanoseconds took) {
  if (!Runtime::active()->settings().logs("plan")) return;
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::fprintf(stderr,
               "event=mapping operation=%s ranks=%zu reordered=%s segment_crossings=%llu->%llu "
               "host_crossings=%llu->%llu load_percent=%llu took_us=%lld\n",
               operation, mapping.old_rank.size(), mapping.gains() ? "yes" : "no",
               number(mapping.before.segment_crossings), number(mapping.after.segment_crossings),
               number(mapping.before.host_crossings), number(mapping.after.host_crossings),
               number(load_percent(mapping.after, mapping.before)),
               static_cast<long long>(took.value / 1000));
}

// All edges on rank 0, nothing elsewhere and where somebody's cannot be read or there are too many.
std::optional<std::vector<Exchange>> gathered(MPI_Comm parent, Communicator& ranks,
                                              const char* operation,
                                              const std::optional<std::vector<GraphEdge>>& mine) {
  const bool root = is_rank_0(parent);
  // The most that any rank has, and whether one's cannot be read.
  std::array told = {mine ? static_cast<std::int64_t>(mine->size()) : 0,
                     std::int64_t{mine ? 0 : 1}};
  if (ranks.agree_on_maximum(told, operation) != MPI_SUCCESS) return std::nullopt;
  if (told[1] != 0 || told[0] > kMostEdges) return std::nullopt;
  const int count = static_cast<int>(mine->size());
  std::vector<int> counts(root ? static_cast<std::size_t>(ranks.size()) : 0);
  if (PMPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, parent) != MPI_SUCCESS)
    return std::nullopt;
  std::array total = {std::accumulate(counts.begin(), counts.end(), std::int64_t{0})};
  if (ranks.agree_on_maximum(total, operation) != MPI_SUCCESS) return std::nullopt;
  if (total[0] < 1 || total[0] > kMostEdges) return std::nullopt;

  static_assert(sizeof(GraphEdge) == 3 * sizeof(int), "three ints travel");
  std::vector<int> lengths(counts.size());
  std::vector<int> offsets(counts.size());
  int offset = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    lengths[rank] = 3 * counts[rank];
    offsets[rank] = offset;
    offset += lengths[rank];
  }
  std::vector<GraphEdge> all(root ? static_cast<std::size_t>(total[0]) : 0);
  const int code = PMPI_Gatherv(mine->data(), 3 * count, MPI_INT, all.data(), lengths.data(),
                                offsets.data(), MPI_INT, 0, parent);
  if (!root || code != MPI_SUCCESS) return std::nullopt;
  std::vector<Exchange> exchanges;
  exchanges.reserve(all.size());
  for (const GraphEdge& edge : all)
    exchanges.push_back({edge.from, edge.to, static_cast<std::uint64_t>(edge.weight)});
  return exchanges;
}

RankMapping mapped(const CommunicationGraph& graph, const std::optional<Grid>& grid,
                   const TopologyView& places) {
  return map_ranks(graph, grid, places, tree_for(places));
}

// A communicator of the processes of `old_ranks`, in that order.
MPI_Comm in_order(MPI_Comm parent, std::span<const int> old_ranks) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group ordered = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  PMPI_Comm_group(parent, &group);
  PMPI_Group_incl(group, static_cast<int>(old_ranks.size()), old_ranks.data(), &ordered);
  PMPI_Comm_create(parent, ordered, &made);
  PMPI_Group_free(&ordered);
  PMPI_Group_free(&group);
  if (made == MPI_COMM_NULL) return made;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;  // MPICH 5.0.2 hands it on elsewhere, but not here
  PMPI_Comm_get_errhandler(parent, &handler);
  PMPI_Comm_set_errhandler(made, handler);
  PMPI_Errhandler_free(&handler);
  return made;
}

}  // namespace

ReorderedParent ReorderedParent::by_grid(MPI_Comm parent, const char* operation,
                                         const std::optional<Grid>& grid) {
  if (!grid || !asked_for("grids")) return {};
  return told_by_rank_0(parent, operation, grid->cells(), [&](const TopologyView& places) {
    return mapped(graph_of(*grid, static_cast<Rank>(places.host_of_rank.size())), grid, places);
  });
}

ReorderedParent ReorderedParent::by_graph(MPI_Comm parent, const char* operation, int new_ranks,
                                          const std::optional<std::vector<Exchange>>& edges) {
  if (!edges || !asked_for("grids")) return {};
  return told_by_rank_0(parent, operation, new_ranks, [&](const TopologyView& places) {
    const auto ranks = static_cast<Rank>(places.host_of_rank.size());
    return mapped(CommunicationGraph(ranks, *edges), std::nullopt, places);
  });
}

ReorderedParent ReorderedParent::by_edges(MPI_Comm parent, const char* operation,
                                          const std::optional<std::vector<GraphEdge>>& edges) {
  if (!asked_for("all")) return {};
  Communicator* state = at_work_on(parent, operation);
  if (state == nullptr || !order_matters(state->view())) return {};
  const auto all = gathered(parent, *state, operation, edges);
  return told_by_rank_0(parent, operation, size_of(parent),
                        [&](const TopologyView& places) -> std::optional<RankMapping> {
                          if (!all) return std::nullopt;
                          const auto ranks = static_cast<Rank>(places.host_of_rank.size());
                          return mapped(CommunicationGraph(ranks, *all), std::nullopt, places);
                        });
}

ReorderedParent ReorderedParent::told_by_rank_0(MPI_Comm parent, const char* operation,
                                                int new_ranks, const Told& map) {
  Communicator* state = at_work_on(parent, operation);
  if (state == nullptr) return {};
  const TopologyView places = state->view();
  if (!order_matters(places)) return {};
  // First whether nobody knows (-1), the ranks stay (0) or move (1); then the old ranks.
  std::vector<std::int64_t> told(1 + places.host_of_rank.size(), -1);
  if (is_rank_0(parent)) {
    const Nanoseconds began = monotonic_now();
    if (const auto mapping = map(places)) {
      log_mapping(operation, *mapping, monotonic_now() - began);
      told[0] = mapping->gains() ? 1 : 0;
      std::copy(mapping->old_rank.begin(), mapping->old_rank.end(), told.begin() + 1);
    }
  }
  ReorderedParent made;
  if (state->agree_on_maximum(told, operation) != MPI_SUCCESS) return made;
  made.decided_ = told[0] >= 0;
  if (told[0] < 1) return made;
  made.old_rank_.assign(told.begin() + 1, told.end());
  made.handle_ =
      in_order(parent, std::span(made.old_rank_).first(static_cast<std::size_t>(new_ranks)));
  return made;
}

ReorderedParent::ReorderedParent(ReorderedParent&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_COMM_NULL)),
      decided_(other.decided_),
      old_rank_(std::exchange(other.old_rank_, {})) {}

ReorderedParent::~ReorderedParent() {
  if (handle_ != MPI_COMM_NULL) PMPI_Comm_free(&handle_);
}

std::vector<int> ReorderedParent::handed_over(std::span<const int> mine) const {
  std::vector<int> new_rank(old_rank_.size());
  for (std::size_t rank = 0; rank < old_rank_.size(); ++rank)
    new_rank[static_cast<std::size_t>(old_rank_[rank])] = static_cast<int>(rank);
  int here = 0;
  PMPI_Comm_rank(handle_, &here);
  const int to = old_rank_[static_cast<std::size_t>(here)];
  const int from = new_rank[static_cast<std::size_t>(here)];
  const auto length = static_cast<int>(mine.size());
  int theirs = 0;
  PMPI_Sendrecv(&length, 1, MPI_INT, to, 0, &theirs, 1, MPI_INT, from, 0, handle_,
                MPI_STATUS_IGNORE);
  std::vector<int> received(static_cast<std::size_t>(theirs));
  PMPI_Sendrecv(mine.data(), length, MPI_INT, to, 0, received.data(), theirs, MPI_INT, from, 0,
                handle_, MPI_STATUS_IGNORE);
  return received;
}

}  // namespace quadrille
