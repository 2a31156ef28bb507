// SPDX-License-Identifier: BSD-3-Clause
#include "apps/pingpong/measure.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/monotonic_clock.h"

namespace quadrille::pingpong {
namespace {

// Rounds before measuring: the first say how many more fit into the time of a measurement.
constexpr std::uint32_t first_rounds = 3;
constexpr double most_more_rounds = 17;
constexpr double least_rounds = 10;
constexpr double most_rounds = 200'000;

double processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

std::byte content(std::size_t message, std::size_t place) {
  return static_cast<std::byte>(17 * message + 31 * place + place / 256);
}

// A process's messages, and what it does with them in a round.
class Rounds {
 public:
  Rounds(Way& way, int rank, const Shape& shape) : way_(way), rank_(rank), shape_(shape) {
    leaving_.resize(shape.window * shape.bytes);
    coming_.resize(leaving_.size());
    for (std::size_t i = 0; i < leaving_.size(); ++i)
      leaving_[i] = content(shape.bytes == 0 ? 0 : i / shape.bytes, i);
  }

  bool run() {
    if (shape_.pattern == Pattern::bidirectional) {
      receive_all();
      send_all();
      return way_.complete();
    }
    const bool answers_whole = shape_.pattern == Pattern::pingpong;
    if (rank_ == 0) {
      send_all();
      answers_whole ? receive_all() : way_.receive(answer_);
      return way_.complete();
    }
    receive_all();
    if (!way_.complete()) return false;
    answers_whole ? send_all() : way_.send(answer_);
    return way_.complete();
  }
  bool correct() const {
    const bool takes = rank_ == 1 || shape_.pattern != Pattern::unidirectional;
    return !takes || coming_ == leaving_;
  }

 private:
  void send_all() {
    for (std::size_t i = 0; i < shape_.window; ++i)
      way_.send(std::span(leaving_).subspan(i * shape_.bytes, shape_.bytes));
  }
  void receive_all() {
    for (std::size_t i = 0; i < shape_.window; ++i)
      way_.receive(std::span(coming_).subspan(i * shape_.bytes, shape_.bytes));
  }

  Way& way_;
  int rank_;
  Shape shape_;
  std::vector<std::byte> leaving_;
  std::vector<std::byte> coming_;
  std::array<std::byte, 1> answer_{};
};

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(
      std::lround(share * static_cast<double>(sorted.size() - 1)))];
}

}  // namespace

const char* name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::pingpong:
      return "pingpong";
    case Pattern::unidirectional:
      return "unidirectional";
    case Pattern::bidirectional:
      return "bidirectional";
  }
  return "?";
}

std::optional<Figures> measure(Way& way, const WaySettings& settings, const Shape& shape,
                               double seconds) {
  Rounds rounds(way, settings.rank, shape);
  std::vector<double> times;
  const auto run = [&](std::size_t count) {
    times.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const Nanoseconds begin = monotonic_now();
      if (!rounds.run()) return false;
      times.push_back(static_cast<double>((monotonic_now() - begin).value));
    }
    std::ranges::sort(times);
    return true;
  };
  // As rank 0 has it.
  const auto rounds_that_fit = [&](double least, double most) {
    const double fit = 1e9 * seconds / quantile(times, 0.5);
    const auto mine = static_cast<std::uint32_t>(std::clamp(fit, least, most));
    const std::uint32_t others = exchanged(settings.exchange, mine);
    return settings.rank == 0 ? mine : others;
  };
  if (!run(first_rounds)) return std::nullopt;
  if (const auto more = rounds_that_fit(0, most_more_rounds); more > 0 && !run(more))
    return std::nullopt;
  const std::uint32_t count = rounds_that_fit(least_rounds, most_rounds);
  const double before = processor_ns();
  if (!run(count)) return std::nullopt;
  const double used = processor_ns() - before;
  const double used_there = exchanged(settings.exchange, used);
  const bool correct_there = exchanged(settings.exchange, rounds.correct());
  const double directions = shape.pattern == Pattern::unidirectional ? 1 : 2;
  const double each_way =
      shape.pattern == Pattern::pingpong ? 2 : static_cast<double>(shape.window);
  const double messages = static_cast<double>(count) * static_cast<double>(shape.window);
  return Figures{.messages = static_cast<std::uint64_t>(messages),
                 .median_ns = quantile(times, 0.5) / each_way,
                 .tenth_ns = quantile(times, 0.1) / each_way,
                 .ninetieth_ns = quantile(times, 0.9) / each_way,
                 .cpu_ns = (used + used_there) / messages / directions,
                 .correct = rounds.correct() && correct_there};
}

}  // namespace quadrille::pingpong
