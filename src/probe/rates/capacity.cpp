// SPDX-License-Identifier: BSD-3-Clause
#include "probe/rates/capacity.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "probe/quantile.h"

namespace quadrille::probe {
namespace {

// A train shorter than this beyond its head says nothing.
constexpr std::size_t kLeastFrames = 5;
constexpr std::size_t kLeastThatWaited = 3;  // for the link, of a train whose first did not

// A link is taken to be no faster than this times what the train got of it: others may have seven
// tenths; where frames came evenly, a seventh.
constexpr double kMostAbove = 1 / 0.3;
constexpr double kMostAboveEven = 1 / 0.85;

// How much farther apart than the mean gap frames must be for the mean to be taken for wrong.
constexpr double kBunched = 1.1;

struct Leaving {
  double at_ns = 0;
  bool certain = true;  // false: it came, but when is known from its neighbours only
};

// When each frame of one stream came. What came at a nonsensical time stands between its
// neighbours.
void append_leavings(const std::vector<Arrival>& stream, std::vector<Leaving>& leavings) {
  std::vector<Arrival> sorted = stream;
  std::sort(sorted.begin(), sorted.end(),
            [](const Arrival& one, const Arrival& other) { return one.index < other.index; });
  const std::vector<Arrival> kept = in_order(stream);
  std::size_t next = 0;
  for (const Arrival& arrival : sorted) {
    if (next < kept.size() && kept[next].index == arrival.index) {
      leavings.push_back({static_cast<double>(arrival.at_ns), true});
      ++next;
    } else if (next > 0 && next < kept.size()) {
      const Arrival& left = kept[next - 1];
      const Arrival& right = kept[next];
      const double share =
          static_cast<double>(arrival.index - left.index) / (right.index - left.index);
      leavings.push_back(
          {static_cast<double>(left.at_ns) + share * static_cast<double>(right.at_ns - left.at_ns),
           false});
    }
  }
}

// A train's frames as they left its narrowest link, without its head: what token buckets on the way
// let pass at once (two frames each), and a quarter of the train since a bucket behind a link that
// is hardly faster drains slowly.
std::vector<Leaving> body(const Train& train) {
  std::vector<Leaving> leavings;
  for (const auto& stream : train.streams) append_leavings(stream, leavings);
  std::sort(leavings.begin(), leavings.end(),
            [](const Leaving& one, const Leaving& other) { return one.at_ns < other.at_ns; });
  const std::size_t waited_for_nothing = train.streams.size() * train.at_once;
  if (leavings.size() < kLeastFrames) return {};
  if (waited_for_nothing > 0 && leavings.size() < waited_for_nothing + kLeastThatWaited) return {};
  const std::size_t head = std::min(leavings.size() - kLeastFrames + 1,
                                    2 + std::max(leavings.size() / 4, waited_for_nothing));
  leavings.erase(leavings.begin(), leavings.begin() + static_cast<std::ptrdiff_t>(head));
  // A nonsensical last time is in order, but far off: no traffic of others holds a frame up for
  // the time of twenty.
  while (leavings.size() > 3) {
    std::vector<double> gaps;
    for (std::size_t i = 1; i < leavings.size(); ++i)
      gaps.push_back(leavings[i].at_ns - leavings[i - 1].at_ns);
    if (gaps.back() < 20 * median(gaps)) break;
    leavings.pop_back();
  }
  return leavings;
}

// The time between frames over a whole train: the median over pairs that are far apart, so that no
// single time stamp counts for much.
double mean_gap(const std::vector<Leaving>& body) {
  const std::size_t apart = std::max<std::size_t>(1, body.size() * 2 / 3);
  std::vector<double> slopes;
  for (std::size_t i = 0; i + apart < body.size(); ++i)
    slopes.push_back((body[i + apart].at_ns - body[i].at_ns) / static_cast<double>(apart));
  return median(std::move(slopes));
}

// Whether quarters of trains took equally long, so that others can have had little of the link: of
// what they take at random, quarters of 24 frames differ by 5 % at a share of a tenth.
bool long_windows_agree(std::span<const std::vector<Leaving>> bodies) {
  std::vector<double> off;
  for (const auto& body : bodies) {
    const std::size_t quarter = body.size() / 4;
    if (quarter < 24) continue;
    const double mean = mean_gap(body) * static_cast<double>(quarter);
    for (std::size_t i = 0; i + quarter < body.size(); i += std::max<std::size_t>(1, quarter / 4))
      off.push_back(std::abs(body[i + quarter].at_ns - body[i].at_ns - mean) / mean);
  }
  return !off.empty() && median(std::move(off)) < 0.012;
}

// Whether the frames stand on one straight line in time but for single late ones, in each part
// of the train and hardly ever one early: what others put between frames moves all that follow. A
// frame that a link lets go late, as an emulated one does when its processor is busy, is followed
// the sooner by the next, and a few such gaps agree by chance.
bool evenly_spaced(const std::vector<Leaving>& body) {
  constexpr double kStampsNs = 40e3;
  constexpr double kOnTheLine = 0.4;
  constexpr double kEarly = 0.05;
  const double mean = mean_gap(body);
  const double width = std::max(kStampsNs, 0.06 * mean);
  if (width > 0.35 * mean) return false;
  std::vector<double> off;
  for (std::size_t i = 0; i < body.size(); ++i)
    off.push_back(body[i].at_ns - mean * static_cast<double>(i));
  const auto near = [&](double least, std::size_t from, std::size_t to) {
    return static_cast<double>(
        std::count_if(off.begin() + static_cast<std::ptrdiff_t>(from),
                      off.begin() + static_cast<std::ptrdiff_t>(to),
                      [&](double at) { return least <= at && at <= least + width; }));
  };
  const double line =
      *std::ranges::max_element(off, {}, [&](double least) { return near(least, 0, off.size()); });
  const auto early = std::ranges::count_if(off, [&](double at) { return at < line; });
  if (static_cast<double>(early) > kEarly * static_cast<double>(off.size())) return false;
  const std::size_t parts = off.size() < 16 ? 2 : 4;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t from = off.size() * part / parts;
    const std::size_t to = off.size() * (part + 1) / parts;
    if (near(line, from, to) < kOnTheLine * static_cast<double>(to - from)) return false;
  }
  return true;
}

// The gaps of all trains that say something of the link: not those at the ends of frames that bear
// one time stamp, and none shorter than `least`.
std::vector<double> telling_gaps(std::span<const std::vector<Leaving>> bodies, double least) {
  std::vector<double> gaps;
  for (const auto& body : bodies)
    for (std::size_t i = 1; i < body.size(); ++i) {
      const double gap = body[i].at_ns - body[i - 1].at_ns;
      const bool after_batch = i >= 2 && body[i - 1].at_ns - body[i - 2].at_ns < least;
      const bool before_batch = i + 1 < body.size() && body[i + 1].at_ns - body[i].at_ns < least;
      if (body[i].certain && body[i - 1].certain && gap >= least && !after_batch && !before_batch)
        gaps.push_back(gap);
    }
  return gaps;
}

struct Mode {
  double gap = 0;
  double width = 0;
  double support = 0;  // gaps that agree with it
};

double density(const std::vector<double>& gaps, double at, double width) {
  return std::accumulate(gaps.begin(), gaps.end(), 0.0, [&](double sum, double gap) {
    const double off = (gap - at) / width;
    return sum + (std::abs(off) < 5 ? std::exp(-0.5 * off * off) : 0);
  });
}

// The lowest value at which the density of `gaps`, seen through a window of `width`, has a maximum
// that counts.
std::optional<Mode> lowest_dense(const std::vector<double>& gaps, double width, double mean) {
  const double step = width / 4;
  std::vector<double> curve;
  for (double at = mean / kMostAbove; at < mean * 1.1 + 2 * width; at += step)
    curve.push_back(density(gaps, at, width));
  const double most = *std::max_element(curve.begin(), curve.end());
  const double enough = std::max({0.15 * most, 2.2, 0.03 * static_cast<double>(gaps.size())});
  std::size_t peak = 0;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    if (curve[i] > curve[peak]) peak = i;
    // A peak ends where the density has fallen far below it; before that it may rise further.
    if (curve[i] >= 0.75 * curve[peak] && i + 1 < curve.size()) continue;
    if (curve[peak] >= enough)
      return Mode{mean / kMostAbove + step * static_cast<double>(peak), width, curve[peak]};
    peak = i;
  }
  return std::nullopt;
}

// The same through the narrowest window that takes in the time stamps' noise: through one twice as
// wide as many gaps agree. Nothing where the noise is too large for that.
std::optional<Mode> frame_time(const std::vector<double>& gaps, double mean) {
  if (gaps.size() < 3) return std::nullopt;
  constexpr double kFinestNs = 12e3;  // kernels' time stamps are no better than this
  constexpr double kCoarsest = 0.14;  // of the mean: beyond it others' frames blur
  double width = std::max(kFinestNs, 0.02 * mean);
  for (; width <= kCoarsest * mean; width *= 1.4) {
    const auto mode = lowest_dense(gaps, width, mean);
    if (mode && density(gaps, mode->gap, 2 * width) < 1.45 * mode->support) return mode;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Arrival> in_order(std::vector<Arrival> stream) {
  std::sort(stream.begin(), stream.end(),
            [](const Arrival& one, const Arrival& other) { return one.index < other.index; });
  // Longest subsequence with rising times, by patience sorting.
  std::vector<std::size_t> ends;
  std::vector<std::size_t> before(stream.size(), stream.size());
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const auto place =
        std::upper_bound(ends.begin(), ends.end(), i, [&](std::size_t one, std::size_t other) {
          return stream[one].at_ns < stream[other].at_ns;
        });
    if (place != ends.begin()) before[i] = *std::prev(place);
    if (place == ends.end())
      ends.push_back(i);
    else
      *place = i;
  }
  std::vector<Arrival> kept;
  for (std::size_t i = ends.empty() ? stream.size() : ends.back(); i < stream.size(); i = before[i])
    kept.push_back(stream[i]);
  std::reverse(kept.begin(), kept.end());
  return kept;
}

std::optional<Capacity> capacity_of(std::span<const Train> trains) {
  std::vector<std::vector<Leaving>> bodies;  // those that ended at one host first
  std::size_t ended_at_one = 0;
  std::vector<double> means;
  for (const bool scattered : {false, true}) {
    for (const Train& train : trains) {
      if (train.scattered != scattered) continue;
      auto leavings = body(train);
      if (leavings.size() < 3) continue;
      means.push_back(mean_gap(leavings));
      if (!scattered) ++ended_at_one;
      bodies.push_back(std::move(leavings));
    }
  }
  const std::span at_one_host(bodies.data(), ended_at_one);
  if (bodies.empty()) return std::nullopt;
  const double mean = means.size() < 3 ? std::accumulate(means.begin(), means.end(), 0.0) /
                                             static_cast<double>(means.size())
                                       : median(means);
  if (mean <= 0) return std::nullopt;
  const double frame_bits = 8.0 * trains.front().frame_bytes;

  const auto even = std::ranges::count_if(at_one_host, evenly_spaced);
  const bool mostly_even = even > 0 && 2 * even >= static_cast<std::ptrdiff_t>(ended_at_one);
  const std::vector<double> gaps =
      telling_gaps(at_one_host, mean / (mostly_even ? kMostAboveEven : kMostAbove));
  const auto mode = frame_time(gaps, mean);
  Capacity found;
  found.mean_bit_s = frame_bits / mean * 1e9;
  found.resolved = mode.has_value();
  // Frames that follow each other singly are farther apart than all are on average: a receiver that
  // was held up stamped some together, which shortens the train.
  const bool bunched = mode && mode->gap > kBunched * mean;
  if (!mode || (mode->gap > 0.94 * mean && !bunched)) {
    const double above = mode ? 1.03 * std::max(1.0, mean / mode->gap)
                              : (long_windows_agree(bodies) ? 1.05 : kMostAbove);
    found.bit_s = {found.mean_bit_s, found.mean_bit_s * 0.97, found.mean_bit_s * above};
    return found;
  }
  const double value = frame_bits / mode->gap * 1e9;
  const double doubt = std::max(0.03, 2 * mode->width / (mode->gap * std::sqrt(mode->support)));
  const double least = bunched ? 0 : std::min(value, found.mean_bit_s);
  found.bit_s = {value, std::max(value * (1 - doubt), least), value * (1 + doubt)};
  return found;
}

std::optional<double> sending_bit_s(const std::vector<Arrival>& stream, std::uint32_t frame_bytes) {
  std::vector<Arrival> sends = in_order(stream);
  for (Arrival& send : sends) send.at_ns -= send.delay_ns;
  sends = in_order(std::move(sends));
  // The socket's buffer and a token bucket take the first frames at once.
  constexpr std::uint32_t kTakenAtOnce = 8;
  std::erase_if(sends, [](const Arrival& send) { return send.index < kTakenAtOnce; });
  if (sends.size() < 3) return std::nullopt;
  std::vector<double> slopes;
  const std::size_t apart = std::max<std::size_t>(1, sends.size() * 2 / 3);
  for (std::size_t i = 0; i + apart < sends.size(); ++i)
    slopes.push_back(static_cast<double>(sends[i + apart].at_ns - sends[i].at_ns) /
                     (sends[i + apart].index - sends[i].index));
  const double gap = median(std::move(slopes));
  if (gap <= 0) return std::nullopt;
  return 8.0 * frame_bytes / gap * 1e9;
}

}  // namespace quadrille::probe
