// SPDX-License-Identifier: BSD-3-Clause
#include "probe/rates/host_evidence.h"

#include <algorithm>
#include <limits>

namespace quadrille::probe {
namespace {

// Sightings this near to the best are taken to be of the same link; others' traffic makes means
// differ.
constexpr double kAsGood = 0.78;

// A share that is less certain than this is not worth stating.
constexpr double kMostDoubt = 0.25;

struct Chosen {
  std::vector<Train> trains;
  std::vector<const Sighting*> sightings;
  bool by_interface = false;  // outwards, by what the host's own interface took
};

// The least mean that counts as the best's. A receiver that was held up stamps a train's first
// frames late: where the cable set the pace of several trains, none of them is believed alone.
double least_as_good(const Evidence& evidence, bool narrowest) {
  double best = 0;
  double second = 0;
  std::size_t count = 0;
  for (const Sighting& sighting : evidence.sightings) {
    if (sighting.narrowest != narrowest) continue;
    ++count;
    second = std::max(second, std::min(best, sighting.mean_bit_s));
    best = std::max(best, sighting.mean_bit_s);
  }
  return kAsGood * (narrowest && count > 2 ? second : best);
}

// Outwards, once one train arrived as fast as the host's interface took it, the interface is what
// sets the pace of all its trains, wherever they were then held up.
Chosen choose(const Evidence& evidence, Direction direction) {
  const bool limited = evidence.is_limit();
  const double enough = least_as_good(evidence, limited);
  Chosen chosen;
  double pace = 0;
  for (const Sighting& sighting : evidence.sightings) {
    if (sighting.mean_bit_s < enough || sighting.narrowest != limited) continue;
    chosen.sightings.push_back(&sighting);
    chosen.trains.push_back(sighting.arrivals);
    if (sighting.paced) pace = std::max(pace, sighting.offered_bit_s);
  }
  chosen.by_interface = direction == Direction::out && pace > 0;
  if (!chosen.by_interface) return chosen;
  // The calls of a blocking sender come in groups, as its socket wakes it: the frames of a train
  // that nothing held up later tell the interface's rate, the calls only how much it took.
  chosen.sightings.clear();
  chosen.trains.clear();
  for (const Sighting& sighting : evidence.sightings) {
    if (sighting.offered_bit_s < 0.6 * pace || sighting.offered_bit_s > 1.3 * pace) continue;
    chosen.sightings.push_back(&sighting);
    if (sighting.paced && sighting.mean_bit_s >= enough) chosen.trains.push_back(sighting.arrivals);
  }
  return chosen;
}

// The share that others have. A blocking sender gets all of its own cable that others leave. Where
// frames come from elsewhere at a given rate, they and the others' share what the link has in
// proportion to what each offers, so the more they offer, the less is seen of others.
MaybeMeasured ambient(const Chosen& chosen, double capacity_bit_s) {
  double sum = 0;
  double overload = 1;
  for (const Sighting* sighting : chosen.sightings) {
    const double offered = sighting->offered_bit_s / capacity_bit_s;
    sum += chosen.by_interface ? 1 - offered
                               : sighting->offered_bit_s / sighting->mean_bit_s - offered;
    if (!chosen.by_interface) overload = std::max(overload, offered);
  }
  const double share = std::clamp(sum / static_cast<double>(chosen.sightings.size()), 0.0, 0.95);
  // How many frames of others fall into a train of some tens is uncertain by a third of it.
  const double doubt = std::max(0.33 * share, 0.04 * overload);
  if (doubt > kMostDoubt) return std::nullopt;
  // Less than a rate's own doubt is nobody.
  const double value = share < 0.03 ? 0 : share;
  return Measured{value, std::max(0.0, share - doubt), std::min(0.95, share + doubt)};
}

// Gaps between frames that end at several hosts tell no rate. Where others' traffic leaves it open,
// trains to single hosts, though held up on their way, still show the cable's own gaps; where those
// hosts' cables are slower, they show less than came out of this one.
std::optional<Capacity> capacity_of_cable(const Evidence& evidence, const Chosen& chosen) {
  const auto capacity = capacity_of(chosen.trains);
  const bool open = capacity && !capacity->resolved && chosen.by_interface &&
                    std::ranges::all_of(chosen.trains, &Train::scattered);
  if (!open) return capacity;
  std::vector<Train> single;
  for (const Sighting* sighting : chosen.sightings) {
    if (!sighting->arrivals.scattered && sighting->mean_bit_s >= least_as_good(evidence, true))
      single.push_back(sighting->arrivals);
  }
  const auto shown = capacity_of(single);
  return shown && shown->resolved && shown->bit_s.value >= capacity->mean_bit_s ? shown : capacity;
}

}  // namespace

double Evidence::best_bit_s() const {
  double best = 0;
  for (const Sighting& sighting : sightings) best = std::max(best, sighting.mean_bit_s);
  return best;
}

double Evidence::usual_bit_s() const {
  const double enough = kAsGood * best_bit_s();
  double sum = 0;
  double count = 0;
  for (const Sighting& sighting : sightings) {
    if (sighting.mean_bit_s < enough) continue;
    sum += sighting.mean_bit_s;
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

bool Evidence::is_limit() const {
  const double enough = kAsGood * best_bit_s();
  return std::any_of(sightings.begin(), sightings.end(), [&](const Sighting& sighting) {
    return sighting.narrowest && sighting.mean_bit_s >= enough;
  });
}

CableRate conclude(const Evidence& evidence, Direction direction, std::int64_t stated_bit_s) {
  const Chosen chosen = choose(evidence, direction);
  const auto capacity = capacity_of_cable(evidence, chosen);
  if (!capacity) return {};
  Measured rate = capacity->bit_s;
  const auto stated = static_cast<double>(stated_bit_s);
  const bool settled_by_driver = !capacity->resolved && rate.low <= stated && stated <= rate.high;
  if (settled_by_driver) rate = {stated, stated * 0.98, stated};
  const bool limited = evidence.is_limit();
  CableRate found{.bit_s = rate, .ambient_share = std::nullopt};
  if (limited && (capacity->resolved || settled_by_driver || rate.high < 1.2 * rate.value))
    found.ambient_share = ambient(chosen, rate.value);
  if (!limited) found.bit_s->high = std::numeric_limits<double>::infinity();
  return found;
}

}  // namespace quadrille::probe
