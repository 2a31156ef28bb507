// SPDX-License-Identifier: BSD-3-Clause
#include "apps/lab/paced_flows.h"

#include <sys/socket.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <random>
#include <utility>

#include "probe/measure/realtime.h"

namespace quadrille::lab {
namespace {

// A starved sender must not catch up with a flood.
constexpr double kMostBehindNs = 1e8;

double now_ns() { return static_cast<double>(probe::steady_ns()); }

}  // namespace

void send_for_ever(const std::vector<PacedFlow>& flows, std::uint64_t seed) {
  std::mt19937_64 chance(seed);
  const auto gap_of = [&](const PacedFlow& flow) {
    return std::exponential_distribution<double>(1 / flow.mean_gap_ns)(chance);
  };
  using Due = std::pair<double, const PacedFlow*>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due;
  const double start = now_ns();
  for (const PacedFlow& flow : flows) due.emplace(start + gap_of(flow), &flow);
  while (true) {
    const auto [moment, flow] = due.top();
    due.pop();
    if (const double pause = moment - now_ns(); pause > 0)
      probe::sleep_for(static_cast<std::int64_t>(pause));
    [[maybe_unused]] const ssize_t sent =
        send(flow->socket, flow->frame.data(), flow->frame.size(), 0);
    due.emplace(std::max(moment, now_ns() - kMostBehindNs) + gap_of(*flow), flow);
  }
}

}  // namespace quadrille::lab
