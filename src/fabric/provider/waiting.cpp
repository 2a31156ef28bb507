// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/provider/waiting.h"

#include <poll.h>

#include <algorithm>
#include <deque>

#include "base/monotonic_clock.h"

namespace quadrille::fabric {
namespace {

// Where another thread may bring something that no descriptor tells of.
constexpr Nanoseconds longest_sleep{10'000'000};

}  // namespace

void Stations::add(Station* station) {
  if (std::ranges::find(stations_, station) == stations_.end()) stations_.push_back(station);
}

void Stations::remove(Station* station) { std::erase(stations_, station); }

void Stations::drive() const {
  for (Station* station : stations_) station->drive();
}

void Stations::leave_to_service() const {
  for (Station* station : stations_) station->leave_to_service();
}

void Stations::sleep(int descriptor, Nanoseconds most) const {
  std::vector<pollfd> events{{descriptor, POLLIN, 0}};
  for (Station* station : stations_) {
    for (const int arrivals : station->descriptors()) events.push_back({arrivals, POLLIN, 0});
    if (const auto due = station->prepare_sleep()) most = std::min(most, *due);
  }
  const timespec time{most.value / 1'000'000'000, most.value % 1'000'000'000};
  ppoll(events.data(), events.size(), &time, nullptr);
  for (Station* station : stations_) station->woken();
}

bool Stations::wait(int descriptor, int timeout_ms, const std::function<bool()>& has_come) const {
  if (has_come()) return true;
  std::deque<Station::Watch> watches;
  for (Station* station : stations_) watches.emplace_back(*station);
  const Nanoseconds end = monotonic_now() + Nanoseconds{1'000'000} * timeout_ms;
  for (;;) {
    drive();
    if (has_come()) return true;
    Nanoseconds most = longest_sleep;
    if (timeout_ms >= 0) most = std::min(most, end - monotonic_now());
    if (most.value <= 0) return false;
    sleep(descriptor, most);
  }
}

}  // namespace quadrille::fabric
