// SPDX-License-Identifier: BSD-3-Clause
#include "probe/trunks/trunk_crossing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "probe/rates/beside_others.h"

namespace quadrille::probe {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

// Light datagrams among what was offered came through like the rest of it.
Passage passage_of(const CutDirection& direction) {
  const double through = direction.arrived_bit_s / direction.offered_bit_s;
  return {direction.carried_bit_s / through, direction.carried_bit_s};
}

}  // namespace

// Where others use the network too, they may have had up to half of it.
Crossing crossing_of(const CutDirection& direction, bool alone) {
  const double carried = direction.carried_bit_s;
  if (direction.arrived_bit_s <= 0) return {};
  const double most = !direction.full ? kEndless : alone ? carried * 1.05 : carried * 2;
  Crossing crossing;
  crossing.bit_s = Measured{carried, carried * 0.95, most};
  if (direction.full && direction.wait_ns && alone) {
    const double bytes = direction.wait_ns->value * carried / 8e9;
    crossing.buffer_bytes = Measured{bytes, bytes * 0.8, bytes * 1.2};
  }
  return crossing;
}

SplitRates rates_of(const Cut& cut, bool alone) {
  return {cut.out.full || cut.in.full, crossing_of(cut.out, alone), crossing_of(cut.in, alone)};
}

void see_others(const CutDirection& strong, const CutDirection& weak, Crossing& crossing) {
  if (!strong.full || !crossing.bit_s || weak.arrived_bit_s <= 0) return;
  const auto found = link_beside_others(passage_of(strong), passage_of(weak));
  if (!found) return;
  // Of several full links on the way each takes its part: they look like a narrower one, which
  // others have less of.
  const double high = std::max(found->bit_s.high, crossing.bit_s->high);
  const double most_share = 1 - strong.carried_bit_s / high;
  crossing.bit_s = Measured{found->bit_s.value, strong.carried_bit_s * 0.95, high};
  crossing.ambient_share = found->ambient_share;
  crossing.ambient_share->high = std::max(crossing.ambient_share->high, most_share);
}

void open_end(Crossing& crossing) {
  if (crossing.bit_s) crossing.bit_s->high = kEndless;
  crossing.buffer_bytes.reset();
}

bool fills(const Crossing& crossing, const Crossing& behind) {
  constexpr double kNearlyAll = 0.93;
  return crossing.bit_s && behind.bit_s && crossing.bit_s->value > kNearlyAll * behind.bit_s->value;
}

bool is_told(const MaybeMeasured& rate) { return rate && !std::isinf(rate->high); }

bool is_nearer(double bit_s, bool told, double than_bit_s, bool that_is_told) {
  constexpr double kClearlyMore = 1.05;
  return bit_s > (that_is_told && !told ? kClearlyMore : 1) * than_bit_s;
}

void take_nearer(const Crossing& crossing, Crossing& best) {
  const MaybeMeasured& rate = crossing.bit_s;
  if (!rate) return;
  if (!best.bit_s || is_nearer(rate->value, is_told(rate), best.bit_s->value, is_told(best.bit_s)))
    best = crossing;
}

double through(const Crossing& crossing, double offered_bit_s) {
  const auto& [rate, buffer, others] = crossing;
  if (!is_told(rate)) return offered_bit_s;
  const double others_bit_s = others ? others->value * rate->value : 0;
  return offered_bit_s * std::min(1.0, rate->value / (offered_bit_s + others_bit_s));
}

}  // namespace quadrille::probe
