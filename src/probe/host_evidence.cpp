// SPDX-License-Identifier: BSD-3-Clause
#include "probe/host_evidence.h"

#include <algorithm>
#include <limits>

namespace quadrille::probe {
namespace {

// Sightings this near to the best are taken to be of the same link; others' traffic makes means
// differ.
constexpr double kAsGood = 0.78;

// The share that others have. A blocking sender gets all of its own cable that others leave. Where
// frames come from elsewhere at a given rate, they and the others' share what the link has in
// proportion to what each offers.
double share_of_others(const Sighting& sighting, double capacity_bit_s, Direction direction) {
  if (direction == Direction::out && sighting.offered_bit_s < 1.12 * sighting.mean_bit_s)
    return 1 - std::max(sighting.mean_bit_s, sighting.offered_bit_s) / capacity_bit_s;
  return sighting.offered_bit_s / sighting.mean_bit_s - sighting.offered_bit_s / capacity_bit_s;
}

Measured ambient(const std::vector<const Sighting*>& best, double capacity_bit_s,
                 Direction direction) {
  std::vector<double> shares;
  for (const Sighting* sighting : best)
    shares.push_back(share_of_others(*sighting, capacity_bit_s, direction));
  double sum = 0;
  for (const double share : shares) sum += share;
  const double share = std::clamp(sum / static_cast<double>(shares.size()), 0.0, 0.95);
  // Others come at random: how many frames of theirs fall into a train of some tens is uncertain
  // by a third of it.
  const double doubt = std::max(0.03, 0.33 * share);
  // Less than the rate's own doubt is nobody.
  return {share < 0.03 ? 0 : share, std::max(0.0, share - doubt), std::min(0.95, share + doubt)};
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
  const double enough = kAsGood * evidence.best_bit_s();
  const bool limited = evidence.is_limit();
  std::vector<const Sighting*> best;
  std::vector<Train> trains;
  for (const Sighting& sighting : evidence.sightings) {
    if (sighting.mean_bit_s < enough || sighting.narrowest != limited) continue;
    best.push_back(&sighting);
    trains.insert(trains.end(), sighting.trains.begin(), sighting.trains.end());
  }
  const auto capacity = capacity_of(trains);
  if (!capacity) return {};
  Measured rate = capacity->bit_s;
  const auto stated = static_cast<double>(stated_bit_s);
  const bool settled_by_driver = !capacity->resolved && rate.low <= stated && stated <= rate.high;
  if (settled_by_driver) rate = {stated, stated * 0.98, stated};
  CableRate found{.bit_s = rate, .ambient_share = std::nullopt};
  if (limited && (capacity->resolved || settled_by_driver || rate.high < 1.2 * rate.value)) {
    found.ambient_share = ambient(best, rate.value, direction);
  }
  if (!limited) found.bit_s->high = std::numeric_limits<double>::infinity();
  return found;
}

}  // namespace quadrille::probe
