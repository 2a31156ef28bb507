// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/matching.h"

#include <algorithm>

namespace quadrille::fabric {
namespace {

template <typename List>
bool withdraw(List& list, Token token) {
  const auto found = std::ranges::find_if(list, [&](const auto& e) { return e.token == token; });
  if (found == list.end()) return false;
  list.erase(found);
  return true;
}

}  // namespace

std::optional<Token> Matcher::take_message(const Pattern& pattern) {
  const auto found = std::ranges::find_if(
      messages_, [&](const Message& message) { return pattern.fits(message.envelope); });
  if (found == messages_.end()) return std::nullopt;
  const Token token = found->token;
  messages_.erase(found);
  return token;
}

std::optional<Token> Matcher::find_message(const Pattern& pattern) const {
  const auto found = std::ranges::find_if(
      messages_, [&](const Message& message) { return pattern.fits(message.envelope); });
  return found == messages_.end() ? std::nullopt : std::optional(found->token);
}

void Matcher::post(const Pattern& pattern, Token receive, bool stays) {
  receives_.push_back({pattern, receive, stays});
}

std::optional<Token> Matcher::take_receive(const Envelope& envelope) {
  const auto found = std::ranges::find_if(
      receives_, [&](const Receive& receive) { return receive.pattern.fits(envelope); });
  if (found == receives_.end()) return std::nullopt;
  const Token token = found->token;
  if (!found->stays) receives_.erase(found);
  return token;
}

void Matcher::keep(const Envelope& envelope, Token message) {
  messages_.push_back({envelope, message});
}

bool Matcher::withdraw_receive(Token receive) { return withdraw(receives_, receive); }

bool Matcher::withdraw_message(Token message) { return withdraw(messages_, message); }

std::vector<Token> Matcher::withdraw_directed_at(PeerNumber peer) {
  std::vector<Token> tokens;
  std::erase_if(receives_, [&](const Receive& receive) {
    if (receive.pattern.from != peer) return false;
    tokens.push_back(receive.token);
    return true;
  });
  return tokens;
}

std::vector<Token> Matcher::withdraw_receives() {
  std::vector<Token> tokens;
  for (const Receive& receive : receives_) tokens.push_back(receive.token);
  receives_.clear();
  return tokens;
}

void Matcher::add_awaited(std::set<PeerNumber>& peers) const {
  for (const Receive& receive : receives_) {
    if (receive.pattern.from) peers.insert(*receive.pattern.from);
  }
}

}  // namespace quadrille::fabric
