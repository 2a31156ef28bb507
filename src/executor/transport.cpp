// SPDX-License-Identifier: BSD-3-Clause
#include "executor/transport.h"

#include <time.h>

namespace quadrille {

void Transport::sleep(Nanoseconds time) {
  const timespec pause{0, static_cast<long>(time.value)};
  nanosleep(&pause, nullptr);
}

}  // namespace quadrille
