// SPDX-License-Identifier: BSD-3-Clause
#include "probe/rates/host_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace quadrille::probe {
namespace {

constexpr double kRate = 20e6;

constexpr std::uint32_t kFrames = 40;

// Full frames that leave a link of `bit_s` one after the other. The receiver, held up, stamps the
// first `held` at once, and all `bunch` of them together.
Sighting sighting_at(double bit_s, std::uint32_t held = 0, std::uint32_t bunch = 1) {
  const auto left_at = [&](std::uint32_t frame) {
    return static_cast<std::int64_t>(1e9 * (frame + 1) * 8 * kFullFrameBytes / bit_s);
  };
  std::vector<Arrival> stream;
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    const std::int64_t at = left_at(std::max(i / bunch * bunch + bunch - 1, held));
    stream.push_back({i, at, at});
  }
  Sighting sighting;
  sighting.arrivals.streams = {stream};
  sighting.mean_bit_s = bit_s * kFrames / (kFrames - held);
  sighting.offered_bit_s = 4 * bit_s;
  sighting.narrowest = true;
  return sighting;
}

TEST(Conclude, believes_no_single_train_whose_receiver_was_held_up) {
  Evidence evidence;
  evidence.sightings.assign(3, sighting_at(kRate));
  evidence.sightings.insert(evidence.sightings.begin() + 1, sighting_at(kRate, 9, 10));
  const auto rate = conclude(evidence, Direction::in, 0).bit_s;
  ASSERT_TRUE(rate.has_value());
  EXPECT_NEAR(rate->value, kRate, 0.05 * kRate);
}

TEST(Conclude, of_one_train_whose_first_half_was_stamped_at_once_takes_the_pace_of_the_rest) {
  Evidence evidence;
  evidence.sightings.push_back(sighting_at(kRate, kFrames / 2));
  const auto rate = conclude(evidence, Direction::in, 0).bit_s;
  ASSERT_TRUE(rate.has_value());
  EXPECT_NEAR(rate->value, kRate, 0.05 * kRate);
}

TEST(Conclude, takes_the_fast_trains_where_others_were_slowed) {
  Evidence evidence;
  evidence.sightings.assign(3, sighting_at(0.6 * kRate));
  evidence.sightings.insert(evidence.sightings.end(), 2, sighting_at(kRate));
  const auto rate = conclude(evidence, Direction::in, 0).bit_s;
  ASSERT_TRUE(rate.has_value());
  EXPECT_NEAR(rate->value, kRate, 0.05 * kRate);
}

TEST(Conclude, of_one_train_says_what_it_says) {
  Evidence evidence;
  evidence.sightings.push_back(sighting_at(kRate));
  const auto rate = conclude(evidence, Direction::in, 0).bit_s;
  ASSERT_TRUE(rate.has_value());
  EXPECT_NEAR(rate->value, kRate, 0.05 * kRate);
}

TEST(Conclude, nothing_where_nothing_was_seen) {
  EXPECT_FALSE(conclude({}, Direction::out, 0).bit_s.has_value());
}

}  // namespace
}  // namespace quadrille::probe
