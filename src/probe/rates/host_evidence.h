// SPDX-License-Identifier: BSD-3-Clause
// What volleys say of one host's cable, gathered, and the rates concluded from it.
#pragma once

#include <cstdint>
#include <vector>

#include "probe/findings.h"
#include "probe/rates/volley.h"

namespace quadrille::probe {

// One volley as one direction of one host's cable saw it.
struct Sighting {
  HostIndex partner = 0;     // or one of them
  Train arrivals;            // frames as they came to one receiver, or at about one time to several
  Train sends;               // outwards: as the host's own interface took them
  double mean_bit_s = 0;     // what we got of it
  double offered_bit_s = 0;  // what we tried to get
  bool paced = false;        // outwards: all that the interface took arrived
  bool narrowest = false;    // nothing else limited: what was got is what the cable gave
};

struct Evidence {
  std::vector<Sighting> sightings;

  // The best seen so far; 0: nothing.
  double best_bit_s() const;
  // The mean of the best: others' traffic makes single trains lucky.
  double usual_bit_s() const;
  // Whether one of the best sightings had the cable as its narrowest link.
  bool is_limit() const;
};

enum class Direction : std::uint8_t { out, in };

struct CableRate {
  MaybeMeasured bit_s;
  MaybeMeasured ambient_share;
};

// `stated_bit_s` is what the driver says, 0: nothing. It decides only where time stamps were too
// coarse to.
CableRate conclude(const Evidence& evidence, Direction direction, std::int64_t stated_bit_s);

}  // namespace quadrille::probe
