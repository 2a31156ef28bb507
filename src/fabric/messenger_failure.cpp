// SPDX-License-Identifier: BSD-3-Clause
// What a messenger does that has failed in the middle of something: each receive and each offer is
// still where it was, as it leaves only behind the word that it has ended, and ends as lost. What
// else is known of may contradict itself and is not looked at.
#include "fabric/messenger.h"

namespace quadrille::fabric {

void Messenger::break_off() {
  reaches_nobody_ = true;
  for (PeerNumber number = 0; number < peers_.size(); ++number) {
    Peer& peer = *peers_[number];
    peer.lost = true;
    peer.ready = false;
    peer.wakes.reset();
    while (!peer.offers.empty()) end_offer(peer.offers.begin()->first, number, Outcome::peer_lost);
  }
  while (!receives_.empty()) end_waiting(receives_.begin()->first, Outcome::peer_lost);
  tagged_ = {};
  untagged_ = {};
  waiting_.clear();
  transfers_.clear();
  leaving_.clear();
  claimed_.clear();
  on_host_.clear();
  unknown_.clear();
  silent_.clear();
  timers_.clear();
  ready_.clear();
  probes_memory_at_.reset();
  asks_programs_at_.reset();
  waiting_bytes_ = 0;
  copied_bytes_ = 0;
  for (PeerNumber number = 0; number < peers_.size(); ++number) {
    if (peers_[number]->conversation) owe_farewell(number);
  }
  has_failed_ = false;
}

}  // namespace quadrille::fabric
