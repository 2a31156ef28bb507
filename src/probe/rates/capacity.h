// SPDX-License-Identifier: BSD-3-Clause
// The capacity of the narrowest link on the way of a train of full frames sent back to back, from
// when they arrived, also where others use that link.
//
// While a train keeps a link busy, two of its frames that leave it one after the other are one
// frame's time apart, or more by what others put between them. So gaps are quantised, and the
// lowest value at which many gaps agree is the frame's time. Without others' traffic all gaps
// agree, and the train's whole length over its duration says the rate far more precisely.
//
// Where a link is emulated by a token bucket the first frames pass at once: the head of each train
// is left out. Time stamps may be late by some tens of microseconds, several frames may bear the
// same one, and a few may be nonsense.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "network/model/model.h"
#include "probe/round.h"

namespace quadrille::probe {

// Frames that went through one link with nothing else of ours: one stream, or several that meet or
// part there.
struct Train {
  std::vector<std::vector<Arrival>> streams;  // each in order of index
  std::uint32_t frame_bytes = kFullFrameBytes;
  std::uint32_t at_once = 0;  // of each stream, that waited for nothing
  bool scattered = false;     // the streams end at several hosts: only how long all took is told
};

struct Capacity {
  Measured bit_s;         // of the link
  double mean_bit_s = 0;  // what the train itself got of it
  bool resolved = true;   // false: time stamps too coarse to tell the link's rate from the mean
};

// Several trains over the same link. Nothing where of each fewer than five frames arrived, or fewer
// than three that waited for the link.
std::optional<Capacity> capacity_of(std::span<const Train> trains);

// The rate at which the sender's own interface took the stream, once its buffers were full: an
// upper bound of what the stream could bring. Nothing where too little arrived.
std::optional<double> sending_bit_s(const std::vector<Arrival>& stream, std::uint32_t frame_bytes);

// Without those whose time contradicts their neighbours': of a stream's frames, which overtake
// nobody, the largest set that is in order in time as well.
std::vector<Arrival> in_order(std::vector<Arrival> stream);

}  // namespace quadrille::probe
