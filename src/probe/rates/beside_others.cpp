// SPDX-License-Identifier: BSD-3-Clause
#include "probe/rates/beside_others.h"

#include <algorithm>

namespace quadrille::probe {
namespace {

constexpr double kWhole = 0.97;     // of what was offered; less was held up
constexpr double kContrast = 1.25;  // between two loads that are not too much alike
constexpr double kMostShare = 0.5;  // what the weak load lost elsewhere looks like more
constexpr double kNoise = 0.02;     // of what one load carries, as others send at random

double share_of(double link_bit_s, const Passage& strong) {
  const double others = strong.offered_bit_s * (link_bit_s / strong.carried_bit_s - 1);
  return std::clamp(others / link_bit_s, 0.0, kMostShare);
}

// Others and the weak load fitted into the link together.
LinkBesideOthers at_most(const Passage& strong, const Passage& weak) {
  const double least = strong.carried_bit_s;
  const double most = least * (strong.offered_bit_s - weak.offered_bit_s) /
                      (strong.offered_bit_s - strong.carried_bit_s);
  const double high = std::max(least, most) * (1 + kNoise);
  const double middle = (least + std::max(least, most)) / 2;
  return {{middle, least, high},
          {share_of(middle, strong), share_of(least, strong), share_of(high, strong)}};
}

}  // namespace

std::optional<LinkBesideOthers> link_beside_others(const Passage& strong, const Passage& weak) {
  if (weak.carried_bit_s <= 0 || strong.offered_bit_s < kContrast * weak.offered_bit_s ||
      strong.carried_bit_s > kWhole * strong.offered_bit_s)
    return std::nullopt;
  if (weak.carried_bit_s > kWhole * weak.offered_bit_s) return at_most(strong, weak);
  const double reach = 1 / weak.offered_bit_s - 1 / strong.offered_bit_s;
  const auto link_bit_s = [&](double share) {
    return 1 / (1 / strong.carried_bit_s - share / strong.offered_bit_s);
  };
  const double seeming = (1 / weak.carried_bit_s - 1 / strong.carried_bit_s) / reach;
  const double share = std::clamp(seeming, 0.0, kMostShare);
  const double doubt = kNoise * (1 / weak.carried_bit_s + 1 / strong.carried_bit_s) / reach;
  const double low = seeming > kMostShare + doubt ? 0 : std::max(0.0, share - doubt);
  const double high = std::min(kMostShare, share + doubt);
  return LinkBesideOthers{
      {link_bit_s(share), link_bit_s(low) * (1 - kNoise), link_bit_s(high) * (1 + kNoise)},
      {share, low, high}};
}

}  // namespace quadrille::probe
