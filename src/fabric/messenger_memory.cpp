// SPDX-License-Identifier: BSD-3-Clause
// Those of a messenger's peers who share memory with it.
#include <algorithm>
#include <utility>

#include "fabric/messenger.h"

namespace quadrille::fabric {
namespace {

constexpr Nanoseconds first_probe{5'000'000};
constexpr Nanoseconds longest_between_probes{1'000'000'000};

}  // namespace

void Messenger::take_claimed_rings() {
  for (auto& claimed : settings_.inbox->take_claimed()) unknown_.push_back(claimed);
  std::erase_if(unknown_, [&](const Inbox::Claimed& claimed) {
    const auto by = std::ranges::find_if(
        on_host_, [&](PeerNumber number) { return peers_[number]->name.key == claimed.by; });
    if (by == on_host_.end()) return false;  // it introduces itself
    peers_[*by]->conversation->receive_by(claimed.ring);
    return true;
  });
}

bool Messenger::look_at_memory(Nanoseconds now) {
  if (settings_.inbox == nullptr) return false;
  if (settings_.inbox->has_claimed() || !unknown_.empty()) take_claimed_rings();
  bool moved = false;
  for (const PeerNumber number : on_host_) {
    Peer& peer = *peers_[number];
    if (peer.lost || !peer.conversation->look_at_memory()) continue;
    moved = true;
    peer.refused = false;  // if it has died since, it is refused again
    take_events(number, now);
    touch(number, now);
  }
  return moved;
}

void Messenger::probe_memory_later(const Conversation& conversation, Nanoseconds now) {
  if (probes_memory_at_ || !conversation.awaits_by_memory()) return;
  between_probes_ = first_probe;
  probes_memory_at_ = now + between_probes_;
}

void Messenger::probe_memory(Nanoseconds now) {
  bool awaits = false;
  bool moves = false;
  for (const PeerNumber number : on_host_) {
    Peer& peer = *peers_[number];
    if (peer.lost || !peer.conversation->awaits_by_memory()) continue;
    awaits = true;
    if (peer.conversation->probe_memory()) {
      moves = true;
    } else {
      touch(number, now);
      check_refused(number);
    }
  }
  between_probes_ = moves ? first_probe : std::min(between_probes_ * 2, longest_between_probes);
  probes_memory_at_.reset();
  if (awaits) probes_memory_at_ = now + between_probes_;
}

std::uint64_t Messenger::records() const {
  std::uint64_t sum = 0;
  for (const PeerNumber number : on_host_) sum += peers_[number]->conversation->records();
  return sum;
}

}  // namespace quadrille::fabric
