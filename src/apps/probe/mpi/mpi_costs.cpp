// SPDX-License-Identifier: BSD-3-Clause
#include "apps/probe/mpi/mpi_costs.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <string>

#include "probe/measure/realtime.h"

namespace quadrille::probe {
namespace {

constexpr int calls = 5;
constexpr int warm_up_calls = 1;
// A larger size may take longer than in proportion, where buffers begin to overflow.
constexpr double out_of_proportion = 2;
// Where ranks share few cores, what moves data takes at least so many times what a barrier takes.
constexpr std::int64_t barriers_in_a_call = 4;
// What all ranks are told before each call.
constexpr int go_on = 1;

struct Operation {
  const char* name;
  std::deque<std::uint64_t> bytes;  // sizes still to be measured, growing
  std::function<void(std::uint64_t bytes)> call;
  std::int64_t last_ns = 0;  // of the size before; 0: none yet
  std::uint64_t last_bytes = 0;
};

struct Buffers {
  std::vector<char> send;
  std::vector<char> receive;
};

class MpiCosts {
 public:
  explicit MpiCosts(const ProberWorld& world) : world_(world) {
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    const auto ranks = static_cast<std::size_t>(world_.ranks());
    buffers_.send.resize(std::max<std::size_t>(largest_bytes, ranks * largest_block_bytes));
    buffers_.receive.resize(buffers_.send.size());
  }
  ~MpiCosts() { PMPI_Comm_free(&comm_); }
  MpiCosts(const MpiCosts&) = delete;
  MpiCosts& operator=(const MpiCosts&) = delete;

  // The smallest size of everything first: where time is short, something is known of each.
  std::vector<MpiCost> run() {
    until_ns_ = steady_ns() + kMpiCostBudgetNs;
    std::vector<Operation> all = operations();
    const auto larger_left = [](const Operation& operation) { return !operation.bytes.empty(); };
    while (std::ranges::any_of(all, larger_left)) {
      for (Operation& operation : all) {
        if (larger_left(operation)) measure_next_size(operation);
      }
    }
    std::ranges::stable_sort(costs_, {}, &MpiCost::operation);
    return std::move(costs_);
  }

 private:
  static constexpr std::uint64_t largest_bytes = 128 << 10;
  static constexpr std::uint64_t largest_block_bytes = 32 << 10;

  std::vector<Operation> operations() {
    const auto count = [](std::uint64_t bytes) { return static_cast<int>(bytes); };
    char* send = buffers_.send.data();
    char* receive = buffers_.receive.data();
    const std::deque<std::uint64_t> whole{1 << 10, 16 << 10, 128 << 10};
    const std::deque<std::uint64_t> blocks{1 << 10, 8 << 10, 32 << 10};
    return {{"send", {1, 1 << 10, 16 << 10, 128 << 10}, [=, this](auto n) { exchange(count(n)); }},
            {"barrier", {0}, [=, this](auto) { PMPI_Barrier(comm_); }},
            {"bcast", whole, [=, this](auto n) { PMPI_Bcast(send, count(n), MPI_BYTE, 0, comm_); }},
            {"allreduce", whole,
             [=, this](auto n) {
               PMPI_Allreduce(send, receive, count(n / sizeof(int)), MPI_INT, MPI_MAX, comm_);
             }},
            {"allgather", blocks,
             [=, this](auto n) {
               PMPI_Allgather(send, count(n), MPI_BYTE, receive, count(n), MPI_BYTE, comm_);
             }},
            {"alltoall", blocks, [=, this](auto n) {
               PMPI_Alltoall(send, count(n), MPI_BYTE, receive, count(n), MPI_BYTE, comm_);
             }}};
  }

  // There and back between the agents of the first two hosts.
  void exchange(int bytes) {
    if (world_.hosts() < 2) return;
    const int other = world_.agent_of(1);
    if (world_.rank() == 0) {
      PMPI_Send(buffers_.send.data(), bytes, MPI_BYTE, other, 0, comm_);
      PMPI_Recv(buffers_.receive.data(), bytes, MPI_BYTE, other, 0, comm_, MPI_STATUS_IGNORE);
    } else if (world_.rank() == other) {
      PMPI_Recv(buffers_.receive.data(), bytes, MPI_BYTE, 0, 0, comm_, MPI_STATUS_IGNORE);
      PMPI_Send(buffers_.send.data(), bytes, MPI_BYTE, 0, 0, comm_);
    }
  }

  // Rank 0 decides.
  bool agreed(bool own) {
    int word = own ? go_on : 0;
    PMPI_Bcast(&word, 1, MPI_INT, 0, comm_);
    return word == go_on;
  }

  // A size that does not fit the time left ends its operation.
  void measure_next_size(Operation& operation) {
    const std::uint64_t bytes = operation.bytes.front();
    operation.bytes.pop_front();
    std::vector<std::int64_t> times_ns;
    if (agreed(fits(operation, bytes))) times_ns = time(operation, bytes);
    if (times_ns.size() < calls) {
      operation.bytes.clear();
      return;
    }
    operation.last_ns = times_ns[times_ns.size() / 2];
    if (bytes == 0) least_first_ns_ = barriers_in_a_call * operation.last_ns;
    operation.last_bytes = bytes;
    enter(operation, bytes, times_ns);
  }

  bool fits(const Operation& operation, std::uint64_t bytes) const {
    const std::int64_t left_ns = until_ns_ - steady_ns();
    if (operation.last_bytes == 0) return least_first_ns_ * (calls + warm_up_calls) < left_ns;
    const double growth = static_cast<double>(bytes) / static_cast<double>(operation.last_bytes);
    const double expected_ns = static_cast<double>(operation.last_ns) * growth * out_of_proportion;
    return expected_ns * (calls + warm_up_calls) < static_cast<double>(left_ns);
  }

  // Sorted; fewer than `calls` when time ran out. The same number on all ranks.
  std::vector<std::int64_t> time(const Operation& operation, std::uint64_t bytes) {
    std::vector<std::int64_t> times_ns;
    for (int call = -warm_up_calls; call < calls; ++call) {
      if (!agreed(steady_ns() < until_ns_)) return {};
      PMPI_Barrier(comm_);
      const std::int64_t before_ns = steady_ns();
      operation.call(bytes);
      std::int64_t took_ns = steady_ns() - before_ns;
      std::int64_t slowest_ns = 0;
      PMPI_Allreduce(&took_ns, &slowest_ns, 1, MPI_INT64_T, MPI_MAX, comm_);
      if (call >= 0) times_ns.push_back(slowest_ns);
    }
    std::ranges::sort(times_ns);
    return times_ns;
  }

  void enter(const Operation& operation, std::uint64_t bytes,
             const std::vector<std::int64_t>& times_ns) {
    const bool round_trip = std::string(operation.name) == "send";
    if (!world_.coordinates() || (round_trip && world_.hosts() < 2)) return;
    const double ways = round_trip ? 2 : 1;
    const auto one = [&](std::int64_t ns) { return static_cast<double>(ns) / ways; };
    const auto ranks = static_cast<std::uint32_t>(round_trip ? 2 : world_.ranks());
    costs_.push_back(
        {operation.name,
         bytes,
         ranks,
         {one(times_ns[times_ns.size() / 2]), one(times_ns.front()), one(times_ns.back())}});
  }

  const ProberWorld& world_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  Buffers buffers_;
  std::int64_t until_ns_ = 0;
  std::int64_t least_first_ns_ = 0;  // that a first size may take
  std::vector<MpiCost> costs_;
};

}  // namespace

std::vector<MpiCost> measure_mpi_costs(const ProberWorld& world) { return MpiCosts(world).run(); }

}  // namespace quadrille::probe
