// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/link.h"

#include <poll.h>

namespace quadrille::wire {

void wait_for_arrival(Link& link, Nanoseconds most) {
  std::vector<pollfd> events;
  for (const int descriptor : link.descriptors()) events.push_back({descriptor, POLLIN, 0});
  const timespec time{most.value / 1'000'000'000, most.value % 1'000'000'000};
  ppoll(events.data(), events.size(), &time, nullptr);
  link.woken();
}

}  // namespace quadrille::wire
