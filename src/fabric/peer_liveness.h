// SPDX-License-Identifier: BSD-3-Clause
// Whether a process that answers no datagrams has ended: its host is asked for a connection. That
// its datagrams are not refused says little: somebody else may have got its UDP port since, or
// what refuses them be kept back by a filter. Connections carry nothing but a hail, an introduction
// (fabric/introduction.h), and the answer to it, another; they are closed when the process has been
// heard of.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "fabric/messenger.h"
#include "wire/links/stream_link.h"

namespace quadrille::fabric {

class PeerLiveness {
 public:
  // Listens at `address`; null where that is not to be had.
  static std::unique_ptr<PeerLiveness> open(std::uint32_t address);

  std::uint16_t port() const { return link_->local().port; }
  // Readable when look() has something to do.
  int descriptor() const { return link_->descriptor(); }
  bool is_due(Nanoseconds now) const { return now - looked_ >= between_looks; }

  // Answers, asks after the messenger's silent peers, and tells it of those whose hosts have
  // refused a connection twice with no sign between, or where somebody else listens: who hangs up
  // or says something else. Who says nothing may be stopped, and is waited for.
  void look(Messenger& messenger, Nanoseconds now);

 private:
  using Stream = wire::StreamLink::Stream;
  struct Asked {
    Stream stream = 0;  // 0: none now
    bool answered = false;
    bool refused_once = false;
  };
  static constexpr Nanoseconds between_looks{100'000'000};

  explicit PeerLiveness(std::unique_ptr<wire::StreamLink> link) : link_(std::move(link)) {}
  void ask(Messenger& messenger, PeerNumber peer);
  void take_in(Messenger& messenger);
  void answer(const Messenger& messenger, const wire::StreamLink::Arrival& hail);
  void take_ends(Messenger& messenger);
  void refused(Messenger& messenger, PeerNumber peer);
  std::map<PeerNumber, Asked>::iterator asked_by(Stream stream);

  std::unique_ptr<wire::StreamLink> link_;
  Nanoseconds looked_{};
  std::map<PeerNumber, Asked> asked_;
};

}  // namespace quadrille::fabric
