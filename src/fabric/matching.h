// SPDX-License-Identifier: BSD-3-Clause
// Which receive takes which message: receives in the order in which they were posted, messages in
// the order in which they came; the first that fits is taken. No memory of either is touched here,
// each is known by its token.
//
// Invariant: no receive that waits fits a message that waits unclaimed.
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <vector>

namespace quadrille::fabric {

using PeerNumber = std::uint32_t;
using Token = std::uint64_t;

struct Envelope {
  PeerNumber from = 0;
  std::uint64_t tag = 0;
};

// What a receive takes; bits of `ignore` may differ from the tag's.
struct Pattern {
  std::optional<PeerNumber> from;
  std::uint64_t tag = 0;
  std::uint64_t ignore = 0;

  bool fits(const Envelope& envelope) const {
    return ((tag ^ envelope.tag) & ~ignore) == 0 && (!from || *from == envelope.from);
  }
};

class Matcher {
 public:
  // The first waiting message that fits, which waits no longer.
  std::optional<Token> take_message(const Pattern& pattern);
  // Likewise, but it goes on waiting.
  std::optional<Token> find_message(const Pattern& pattern) const;
  // REQUIRES: no message that waits fits. `stays`: it takes messages until it is withdrawn.
  void post(const Pattern& pattern, Token receive, bool stays = false);

  // The first receive that fits a message which comes now; it waits no longer, unless it stays.
  std::optional<Token> take_receive(const Envelope& envelope);
  // REQUIRES: no receive that waits fits.
  void keep(const Envelope& envelope, Token message);

  // Whether it waited.
  bool withdraw_receive(Token receive);
  bool withdraw_message(Token message);
  // Receives that only this peer's messages fit; they wait no longer.
  std::vector<Token> withdraw_directed_at(PeerNumber peer);
  std::vector<Token> withdraw_receives();
  // Adds those whose messages alone fit a receive that waits.
  void add_awaited(std::set<PeerNumber>& peers) const;

  std::size_t receives() const { return receives_.size(); }
  std::size_t messages() const { return messages_.size(); }

 private:
  struct Receive {
    Pattern pattern;
    Token token = 0;
    bool stays = false;
  };
  struct Message {
    Envelope envelope;
    Token token = 0;
  };

  std::list<Receive> receives_;
  std::list<Message> messages_;
};

}  // namespace quadrille::fabric
