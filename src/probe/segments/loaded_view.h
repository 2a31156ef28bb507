// SPDX-License-Identifier: BSD-3-Clause
// What a network looks like under load: how long light datagrams wait on their way while streams
// run.
//
// A queue that is overloaded stays full for as long as the load lasts, so everything behind it
// waits for the whole time; a queue that is merely busy is empty now and then. The least wait of
// several datagrams tells one from the other, however noisy the hosts are. It is taken twice, in
// both halves of the load, and counts as standing only where both agree.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/error.h"
#include "probe/findings.h"
#include "probe/host_set.h"
#include "probe/investigation.h"

namespace quadrille::probe {

// A stream of full frames at a steady rate.
struct Flow {
  HostIndex from = 0;
  HostIndex to = 0;
  double rate_bit_s = 0;
};

// Up to so many landmarks may have more light datagrams than the other hosts.
inline constexpr std::size_t kFewLandmarks = 8;

struct Load {
  std::string purpose = {};
  std::vector<Flow> flows = {};
  std::int64_t duration_ns = 0;  // at least
  // Everybody sends light datagrams to these and they to everybody. Empty: all hosts.
  HostSet landmarks = {};
  // Beside these, `group` sends to `near`, some of its own, and they to it: nobody else, as they
  // carry load.
  HostSet group = {};
  HostSet near = {};
  std::uint32_t passes = 3;  // light datagrams for each way in each half of the load
  HostSet filled = {};       // receivers whose own cables may be: nothing is concluded from them
};

// The wait on the way from one host to another, beyond that in the idle network.
struct Wait {
  bool known = false;
  std::int64_t first_half_ns = 0;   // least in the first half of the load
  std::int64_t second_half_ns = 0;  // and in the second

  std::int64_t least_ns() const {
    return first_half_ns < second_half_ns ? first_half_ns : second_half_ns;
  }
};

// Whether a wait is that of an overloaded queue: longer than `floor_ns` in both halves, and in both
// about alike.
bool is_standing(const Wait& wait, std::int64_t floor_ns);

struct FlowOutcome {
  Flow flow;
  std::uint32_t received = 0;
  double arrived_bit_s = 0;  // between its first arrival and its last
  std::int64_t first_arrival_ns = 0;
  std::int64_t last_arrival_ns = 0;
};

// All of `flows` together: their bits over the time from the first arrival to the last.
double arrived_together_bit_s(const std::vector<FlowOutcome>& flows);

struct LoadedView {
  PairTable<Wait> waits;
  PairTable<double> light_bit_s;  // of light datagrams that arrived, over the load's whole time
  HostSet landmarks;              // waits are known towards and from these
  std::vector<FlowOutcome> flows;
};

// Of the light datagrams of `view` from any of `senders` to any of `receivers`.
double light_bit_s(const LoadedView& view, const HostSet& senders, const HostSet& receivers);

class LoadedViews {
 public:
  // `cables`: [all hosts of the network], each measured alone.
  LoadedViews(Setting& setting, std::vector<HostRates> cables);

  // From now on cables are as these: of all hosts, as above. No bus is shared.
  void use(std::vector<HostRates> cables);

  // From now on `rates` leaves each host of a bus its fair share of it, in both directions at once.
  void share_bus(const HostSet& bus);

  // Performs `load` once the queues of the last one are empty.
  Result<LoadedView> observe(const Load& load);

  // The most that came out of a set of hosts, or into it, while something on the way was full;
  // infinite where nothing was seen to be.
  void keep_crossing(const HostSet& inside, double arrived_bit_s);
  double crossing_bit_s(const HostSet& inside) const;

  // Waits until what the last load left in the queues is gone.
  std::optional<Error> settle();

  // Whether the wait from `from` to `to` is that of an overloaded queue: longer than a frame takes
  // on either host's own cable, in both halves alike.
  bool standing(const LoadedView& view, HostIndex from, HostIndex to) const;
  // The least wait that can be one; ns.
  std::int64_t floor_ns(HostIndex from, HostIndex to) const;

  Setting& setting() { return setting_; }
  const HostSet& hosts() const { return setting_.hosts; }
  const std::vector<HostRates>& cables() const { return cables_; }
  // What each host may send and receive while all others do, without filling a bus; and what it may
  // send, or receive, while nobody on its bus does the other.
  const std::vector<HostRates>& rates() const { return rates_; }
  const std::vector<HostRates>& one_way_rates() const { return one_way_rates_; }

 private:
  Result<bool> drain();
  std::vector<Flow> beside_fans(const std::vector<Flow>& flows, const std::vector<Fan>& fans,
                                const HostSet& filled) const;
  std::int64_t duration_ns(const Load& load) const;
  bool idle_known(const Load& load) const;
  Round compose(const Load& load) const;
  LoadedView read(const Load& load, const Round& round, const RoundResult& result);

  Setting& setting_;
  std::vector<HostRates> cables_;
  std::vector<HostRates>
      room_;  // cables, less what keeps random traffic of others from filling them
  std::vector<HostRates> rates_;
  std::vector<HostRates> one_way_rates_;
  std::map<HostSet, double> crossing_bit_s_;
  PairTable<std::int64_t> idle_delay_ns_;  // least ever seen
  // How long the fullest queue takes to empty, beyond what the network itself waits for.
  std::int64_t backlog_ns_ = 0;
};

}  // namespace quadrille::probe
