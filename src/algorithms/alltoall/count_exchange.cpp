// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/alltoall/count_exchange.h"

#include "schedule/builder.h"

namespace quadrille {

bool needs_count_exchange(const Algorithm& algorithm) {
  return algorithm.name == "alltoallv_gathered";
}

std::vector<std::uint64_t> counts_for(const CarriedHosts& hosts, const LocalCounts& counts,
                                      std::size_t place) {
  std::vector<std::uint64_t> lengths;
  for (const Rank target : hosts.targets_of(place))
    lengths.push_back(counts.send.of(Buffer::send, target).length);
  for (const Rank source : hosts.sources_of(place))
    lengths.push_back(counts.receive.of(Buffer::receive, source).length);
  return lengths;
}

Schedule exchange_counts(const CarriedHosts& hosts) {
  ScheduleBuilder builder;
  const auto lengths = [&](std::size_t place) {
    return hosts.targets_of(place).size() + hosts.sources_of(place).size();
  };
  const std::size_t own = lengths(hosts.place());
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (std::size_t place = 0; place < hosts.own().size(); ++place) {
    if (place == hosts.place()) continue;
    const std::size_t told = lengths(place);
    if (own > 0) builder.receive(hosts.own()[place], {Buffer::receive, received, own});
    if (told > 0) builder.send(hosts.own()[place], {Buffer::send, sent, told});
    received += own;
    sent += told;
  }
  return builder.build();
}

}  // namespace quadrille
