// SPDX-License-Identifier: BSD-3-Clause
// Volleys: trains of full frames from some hosts to some others, fired one after the other or all
// together in one round.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "probe/investigation.h"
#include "probe/rates/capacity.h"

namespace quadrille::probe {

// Every host of `from` sends `frames` to every host of `to`, all at once.
struct Volley {
  std::vector<HostIndex> from;
  std::vector<HostIndex> to;
  std::uint32_t frames = 0;   // of each stream
  double expected_bit_s = 0;  // at which all of them together are thought to arrive

  std::int64_t expected_ns() const;
};

struct VolleyResult {
  bool sound = true;  // no host was late or held up
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  Train arrivals;             // at one receiver they left one port, at several they did not
  Train sends;                // as the sender's interface took them
  double arriving_bit_s = 0;  // of all streams; 0: too little came
  double taken_bit_s = 0;     // by the senders' interfaces
};

enum class Order : std::uint8_t { one_by_one, together };

// In one round. Results in the order of `volleys`.
Result<std::vector<VolleyResult>> fire(Setting& setting, const std::string& purpose,
                                       const std::vector<Volley>& volleys, Order order);

// The bits of `frames` full frames.
inline double full_frame_bits(double frames) { return frames * 8 * kFullFrameBytes; }

}  // namespace quadrille::probe
