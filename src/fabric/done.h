// SPDX-License-Identifier: BSD-3-Clause
// How a send or a receive has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "fabric/matching.h"

namespace quadrille::fabric {

enum class Outcome : std::uint8_t { success, truncated, canceled, no_message, peer_lost };

// Whom to tell of it.
struct Report {
  void* context = nullptr;
  bool wanted = true;  // success too
};

struct Done {
  bool received = false;  // else it was sent
  bool tagged = false;
  Report report;
  std::byte* buffer = nullptr;
  std::size_t length = 0;
  std::size_t excess = 0;  // bytes of the message that had no room
  std::optional<std::uint64_t> data;
  std::uint64_t tag = 0;
  std::optional<PeerNumber> from;
  Outcome outcome = Outcome::success;
  bool releases = false;  // only says that a receive takes no more messages
};

}  // namespace quadrille::fabric
