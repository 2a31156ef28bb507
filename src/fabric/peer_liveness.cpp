// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/peer_liveness.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "fabric/introduction.h"

namespace quadrille::fabric {
std::unique_ptr<PeerLiveness> PeerLiveness::open(std::uint32_t address) {
  auto link = wire::StreamLink::open({address, 0}, introduction_bytes);
  if (!link) return nullptr;
  return std::unique_ptr<PeerLiveness>(new PeerLiveness(std::move(link)));
}

void PeerLiveness::look(Messenger& messenger, Nanoseconds now) {
  looked_ = now;
  link_->exchange();
  take_ends(messenger);
  take_in(messenger);
  take_ends(messenger);
  for (auto next = asked_.begin(); next != asked_.end();) {
    if (messenger.is_silent(next->first)) {
      ++next;
      continue;
    }
    link_->close(next->second.stream);
    next = asked_.erase(next);
  }
  for (const PeerNumber peer : messenger.take_silent()) ask(messenger, peer);
}

void PeerLiveness::ask(Messenger& messenger, PeerNumber peer) {
  const EndpointName& name = messenger.name_of(peer);
  if (name.streams == 0 || asked_[peer].stream != 0) return;
  const auto stream = link_->connect({name.at.address, name.streams});
  if (!stream) return;
  asked_[peer].stream = *stream;
  asked_[peer].answered = false;
  std::array<std::byte, introduction_bytes> hail{};
  messenger.introduce(peer, hail);
  link_->send(*stream, hail);
}

std::map<PeerNumber, PeerLiveness::Asked>::iterator PeerLiveness::asked_by(Stream stream) {
  return std::ranges::find_if(asked_,
                              [&](const auto& entry) { return entry.second.stream == stream; });
}

void PeerLiveness::take_in(Messenger& messenger) {
  while (const auto arrival = link_->next()) {
    const auto asked = asked_by(arrival->stream);
    if (asked == asked_.end()) {
      answer(messenger, *arrival);
    } else if (is_introduction(arrival->datagram) &&
               messenger.introduced(arrival->datagram) == asked->first) {
      asked->second = {.stream = arrival->stream, .answered = true};
    } else {
      link_->close(arrival->stream);
      asked->second.stream = 0;
      refused(messenger, asked->first);
    }
  }
}

void PeerLiveness::answer(const Messenger& messenger, const wire::StreamLink::Arrival& hail) {
  std::array<std::byte, introduction_bytes> answer{};
  if (is_introduction(hail.datagram) && messenger.answer(hail.datagram, answer)) {
    link_->send(hail.stream, answer);
  } else {
    link_->close(hail.stream);
  }
}

void PeerLiveness::take_ends(Messenger& messenger) {
  using Ending = wire::StreamLink::Ending;
  for (const wire::StreamLink::End& end : link_->ended()) {
    const auto asked = asked_by(end.stream);
    if (asked == asked_.end()) continue;
    asked->second.stream = 0;
    if (!asked->second.answered && end.ending != Ending::lost) refused(messenger, asked->first);
  }
}

void PeerLiveness::refused(Messenger& messenger, PeerNumber peer) {
  if (std::exchange(asked_[peer].refused_once, true)) messenger.on_refusal(peer);
}

}  // namespace quadrille::fabric
