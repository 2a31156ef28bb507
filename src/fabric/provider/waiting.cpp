// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/provider/waiting.h"

#include <poll.h>

#include <array>

namespace quadrille::fabric {
namespace {

// An endpoint has one, with frames one for each queue.
constexpr std::size_t most_descriptors = 64;

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
  std::array<pollfd, most_descriptors> events{{{descriptor, POLLIN, 0}}};
  std::size_t used = 1;
  for (Station* station : stations_) {
    for (const int arrivals : station->descriptors()) {
      if (used < events.size()) {
        events[used++] = {arrivals, POLLIN, 0};
      } else {
        most = std::min(most, Nanoseconds{1'000'000});  // it is looked at then
      }
    }
    if (const auto due = station->prepare_sleep()) most = std::min(most, *due);
  }
  const timespec time{most.value / 1'000'000'000, most.value % 1'000'000'000};
  ppoll(events.data(), used, &time, nullptr);
  for (Station* station : stations_) station->woken();
}

Stations::Watch::Watch(const Stations& all) : stations(all) {
  for (Station* station : stations.stations_) station->begin_watch();
}

Stations::Watch::~Watch() {
  for (Station* station : stations.stations_) station->end_watch();
}

}  // namespace quadrille::fabric
