// SPDX-License-Identifier: BSD-3-Clause
#include "probe/rates/cable_evidence.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace quadrille::probe {
namespace {

// Offered this much more than what came: something was the limit.
constexpr double kOverload = 1.15;

std::int64_t stated_bit_s(const Setting& setting, HostIndex host) {
  const auto& name = setting.network.networks()[setting.network_index].interface;
  if (host >= name.size()) return 0;
  const auto& interfaces = setting.network.hosts()[host].interfaces;
  const auto found = std::find_if(interfaces.begin(), interfaces.end(), [&](const Interface& one) {
    return one.name == name[host] && one.physical;
  });
  return found == interfaces.end() ? 0 : found->speed_bit_s;
}

}  // namespace

void CableEvidence::keep(const std::vector<Volley>& volleys,
                         const std::vector<VolleyResult>& results) {
  for (std::size_t at = 0; at < volleys.size(); ++at) {
    if (!results[at].sound || results[at].arriving_bit_s <= 0) continue;
    if (volleys[at].from.size() == 1) keep_outwards(volleys[at], results[at]);
    if (volleys[at].to.size() == 1) keep_inwards(volleys[at], results[at]);
  }
}

void CableEvidence::keep_outwards(const Volley& volley, const VolleyResult& result) {
  Sighting sighting;
  sighting.mean_bit_s = result.arriving_bit_s;
  sighting.offered_bit_s = result.taken_bit_s;
  sighting.partner = volley.to.front();
  sighting.paced = result.taken_bit_s < kOverload * result.arriving_bit_s;
  sighting.narrowest = sighting.paced;
  sighting.arrivals = result.arrivals;
  sighting.sends = result.sends;
  if (!sighting.narrowest && volley.to.size() > 1) {
    // Several receivers that together take more than came: what is before them was the limit.
    double takes = 0;
    for (const HostIndex to : volley.to) takes += in_[to].best_bit_s();
    sighting.narrowest = takes > kOverload * result.arriving_bit_s;
  }
  out_[volley.from.front()].sightings.push_back(std::move(sighting));
}

void CableEvidence::keep_inwards(const Volley& volley, const VolleyResult& result) {
  Sighting sighting;
  sighting.partner = volley.from.front();
  sighting.arrivals = result.arrivals;
  sighting.mean_bit_s = result.arriving_bit_s;
  for (const HostIndex from : volley.from) sighting.offered_bit_s += out_[from].usual_bit_s();
  const bool overloaded = sighting.offered_bit_s > kOverload * result.arriving_bit_s;
  sighting.narrowest = volley.from.size() > 1 && overloaded;
  in_[volley.to.front()].sightings.push_back(std::move(sighting));
}

double CableEvidence::pair_bit_s(HostIndex from, HostIndex to) const {
  const double out = out_[from].best_bit_s();
  const double in = in_[to].best_bit_s();
  return std::min(out > 0 ? out : in, in > 0 ? in : out);
}

std::vector<HostRates> CableEvidence::rates(const Setting& setting) const {
  std::vector<HostRates> found(out_.size());
  for (const HostIndex host : setting.hosts) {
    const CableRate out = conclude(out_[host], Direction::out, stated_bit_s(setting, host));
    const CableRate in = conclude(in_[host], Direction::in, stated_bit_s(setting, host));
    found[host].out_bit_s = out.bit_s;
    // A few frames at once may have met others' everywhere: what they got is the least there is.
    if (setting.depth == Depth::quick && found[host].out_bit_s)
      found[host].out_bit_s->high = std::numeric_limits<double>::infinity();
    found[host].in_bit_s = in.bit_s;
    found[host].ambient_out_share = out.ambient_share;
    found[host].ambient_in_share = in.ambient_share;
    found[host].usual_out_bit_s = out_[host].usual_bit_s();
    found[host].usual_in_bit_s = in_[host].usual_bit_s();
  }
  return found;
}

}  // namespace quadrille::probe
