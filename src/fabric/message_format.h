// SPDX-License-Identifier: BSD-3-Clause
// What two endpoints say to each other, each one message of the wire; but for bulk and the rests of
// messages, of at most one packet. docs/fabric.md has the tables. Numbers are big-endian.
//
//   on the channel of messages
//   offset  width  field
//   0       1      lowest bit: tagged; next: carries data for the completion; next: offered
//   1       8      tag, where tagged
//   .       8      data, where it carries some
//                  next: has a rest
//   .       8      offered or with a rest: length of the message
//   .       4      offered: number of the offer
//   .       n      else: the message, or what comes before its rest
//
//   on the channel of rests, in the order of these: the rest of a message
//
//   on the channel of control
//   0       1      0: credit; 1: call for an offered message
//   1       4      bytes of memory for messages that the other end has used and that are free
//   again,
//                  since the start; lower bits
//   5       4      call: number of the offer
//   9       8      call: how many of its bytes; they come on the channel of bulk
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/packet.h"

namespace quadrille::fabric {

constexpr wire::Channel messages_channel = 0;
constexpr wire::Channel control_channel = 1;
constexpr wire::Channel bulk_channel = 2;
constexpr wire::Channel rests_channel = 3;

constexpr std::size_t largest_head = 1 + 8 + 8 + 8 + 4;
constexpr std::size_t largest_control = 1 + 4 + 4 + 8;

struct Head {
  bool tagged = false;
  std::uint64_t tag = 0;
  std::optional<std::uint64_t> data;  // FI_REMOTE_CQ_DATA
  bool offered = false;               // else what follows is the message
  std::uint64_t length = 0;           // of the message, its rest included
  std::uint32_t offer = 0;

  bool operator==(const Head&) const = default;
};

struct Control {
  std::uint32_t freed = 0;
  bool calls = false;
  std::uint32_t offer = 0;
  std::uint64_t bytes = 0;

  bool operator==(const Control&) const = default;
};

// `first` bytes of the message follow the head, less than all where it has a rest.
std::size_t write_head(const Head& head, std::size_t first, std::span<std::byte> room);

// Return how many bytes were written. REQUIRES: room for the largest of its kind.
std::size_t write_control(const Control& control, std::span<std::byte> room);

struct ParsedMessage {
  Head head;
  std::span<const std::byte> payload;  // all of it, or what comes before its rest
};
std::optional<ParsedMessage> parse_message(std::span<const std::byte> bytes);
std::optional<Control> parse_control(std::span<const std::byte> bytes);

}  // namespace quadrille::fabric
