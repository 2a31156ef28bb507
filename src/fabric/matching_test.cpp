// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/matching.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace quadrille::fabric {
namespace {

TEST(Matcher, the_first_posted_receive_that_fits_takes_a_message) {
  Matcher matcher;
  matcher.post({.from = 2, .tag = 7}, 1);
  matcher.post({.from = {}, .tag = 0, .ignore = ~std::uint64_t{0}}, 2);
  matcher.post({.from = {}, .tag = 7}, 3);
  EXPECT_EQ(matcher.take_receive({.from = 1, .tag = 7}), 2U);
  EXPECT_EQ(matcher.take_receive({.from = 1, .tag = 7}), 3U);
  EXPECT_EQ(matcher.take_receive({.from = 1, .tag = 7}), std::nullopt);
  EXPECT_EQ(matcher.take_receive({.from = 2, .tag = 7}), 1U);
}

TEST(Matcher, ignored_bits_may_differ_and_no_others) {
  Matcher matcher;
  matcher.keep({.from = 1, .tag = 0xab}, 5);
  EXPECT_FALSE(matcher.take_message({.from = {}, .tag = 0xa0, .ignore = 0x0e}));
  EXPECT_FALSE(matcher.take_message({.from = 2, .tag = 0xab}));
  EXPECT_EQ(matcher.find_message({.from = 1, .tag = 0xa0, .ignore = 0x0f}), 5U);
  EXPECT_EQ(matcher.take_message({.from = 1, .tag = 0xa0, .ignore = 0x0f}), 5U);
  EXPECT_EQ(matcher.messages(), 0U);
}

TEST(Matcher, a_receive_that_stays_takes_all_until_it_is_withdrawn) {
  Matcher matcher;
  matcher.post({.from = {}, .tag = 0, .ignore = ~std::uint64_t{0}}, 1, true);
  for (PeerNumber peer = 0; peer < 3; ++peer) EXPECT_EQ(matcher.take_receive({.from = peer}), 1U);
  EXPECT_TRUE(matcher.withdraw_receive(1));
  EXPECT_FALSE(matcher.withdraw_receive(1));
  EXPECT_FALSE(matcher.take_receive({}));
}

TEST(Matcher, receives_directed_at_a_peer_are_withdrawn_alone) {
  Matcher matcher;
  matcher.post({.from = 1}, 1);
  matcher.post({.from = {}}, 2);
  matcher.post({.from = 2}, 3);
  matcher.post({.from = 1, .tag = 9}, 4);
  EXPECT_EQ(matcher.withdraw_directed_at(1), (std::vector<Token>{1, 4}));
  EXPECT_EQ(matcher.receives(), 2U);
}

// By search through all that has ever been posted and kept, by number.
class NaiveModel {
 public:
  std::optional<Token> take_message(const Pattern& pattern) { return take(messages_, pattern); }
  std::optional<Token> take_receive(const Envelope& envelope) {
    for (const auto& [token, pattern] : receives_) {
      const bool tag = (pattern.tag | pattern.ignore) == (envelope.tag | pattern.ignore);
      if (!tag || (pattern.from && *pattern.from != envelope.from)) continue;
      const Token taken = token;
      receives_.erase(token);
      return taken;
    }
    return std::nullopt;
  }
  std::map<Token, Pattern> receives_;
  std::map<Token, Envelope> messages_;

 private:
  static std::optional<Token> take(std::map<Token, Envelope>& all, const Pattern& pattern) {
    for (const auto& [token, envelope] : all) {
      const bool tag = (pattern.tag | pattern.ignore) == (envelope.tag | pattern.ignore);
      if (!tag || (pattern.from && *pattern.from != envelope.from)) continue;
      const Token taken = token;
      all.erase(token);
      return taken;
    }
    return std::nullopt;
  }
};

TEST(Matcher, agrees_with_a_naive_model_on_random_traffic) {
  std::mt19937 chance(11);
  const auto below = [&](unsigned end) { return static_cast<unsigned>(chance() % end); };
  for (int round = 0; round < 200; ++round) {
    Matcher matcher;
    NaiveModel model;
    for (Token token = 1; token <= 300; ++token) {
      const unsigned action = below(10);
      if (action < 4) {
        Pattern pattern{.from = {}, .tag = below(4), .ignore = below(3) == 0 ? below(4) : 0};
        if (below(2) == 0) pattern.from = below(3);
        const auto taken = matcher.take_message(pattern);
        ASSERT_EQ(taken, model.take_message(pattern));
        if (taken) continue;
        matcher.post(pattern, token);
        model.receives_[token] = pattern;
      } else if (action < 9) {
        const Envelope envelope{.from = below(3), .tag = below(4)};
        const auto taken = matcher.take_receive(envelope);
        ASSERT_EQ(taken, model.take_receive(envelope));
        if (taken) continue;
        matcher.keep(envelope, token);
        model.messages_[token] = envelope;
      } else {
        const Token which = 1 + below(static_cast<unsigned>(token));
        ASSERT_EQ(matcher.withdraw_receive(which), model.receives_.erase(which) == 1);
        ASSERT_EQ(matcher.withdraw_message(which), model.messages_.erase(which) == 1);
      }
      ASSERT_EQ(matcher.receives(), model.receives_.size());
      ASSERT_EQ(matcher.messages(), model.messages_.size());
    }
  }
}

}  // namespace
}  // namespace quadrille::fabric
