// SPDX-License-Identifier: BSD-3-Clause
// Processor time of a long message between two endpoints, both ends together: no kernel, but
// encryption. Peers beside them have something under way.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "wire/endpoint.h"

namespace quadrille::wire {
namespace {

constexpr std::size_t kLength = 1 << 20;
constexpr Channel kChannel = 1;
constexpr Channel kBeside = 2;
constexpr std::uint32_t kBudget = 1000;

struct End {
  End(EndpointId self, std::uint32_t peers)
      : budget(*board, 0, kBudget), endpoint(settings(self, peers), budget) {}
  static EndpointSettings settings(EndpointId self, std::uint32_t peers) {
    EndpointSettings made;
    made.self = self;
    made.peers = peers;
    made.limits.unscheduled = 200;
    made.window = 32;
    return made;
  }
  std::unique_ptr<CreditBoard> board = std::make_unique<CreditBoard>();
  CreditBudget budget;
  Endpoint endpoint;
};

class Pair {
 public:
  Pair(std::uint32_t peers, std::size_t most)
      : most_(most),
        sender_(0, peers),
        receiver_(1, peers),
        room_(longest_run * sender_.endpoint.largest_datagram()) {
    for (EndpointId peer = 2; peer < peers; ++peer) {
      sender_.endpoint.send(peer, kBeside, beside_, ++handle_, now_);
      receiver_.endpoint.send(peer, kBeside, beside_, ++handle_, now_);
    }
    for (End* end : {&sender_, &receiver_}) {
      while (end->endpoint.next_datagram(room_, now_)) {
      }
      while (end->endpoint.next_completion()) {
      }
    }
  }
  void exchange() {
    receiver_.endpoint.receive(0, kChannel, received_, ++handle_, now_);
    sender_.endpoint.send(1, kChannel, sent_, ++handle_, now_);
    for (bool done = false; !done;) {
      pass(sender_.endpoint, receiver_.endpoint);
      pass(receiver_.endpoint, sender_.endpoint);
      now_ = now_ + Nanoseconds{1'000};
      while (const auto completion = sender_.endpoint.next_completion()) done |= completion->sent;
      while (receiver_.endpoint.next_completion()) {
      }
    }
  }

 private:
  void pass(Endpoint& from, Endpoint& to) {
    while (const auto outgoing = from.next_datagram(room_, now_, {.datagrams = most_})) {
      const std::size_t each = outgoing->datagram > 0 ? outgoing->datagram : outgoing->length;
      for (std::size_t offset = 0; offset < outgoing->length; offset += each)
        to.on_datagram(std::span(room_).subspan(offset, std::min(each, outgoing->length - offset)),
                       now_);
    }
  }

  std::size_t most_;
  End sender_;
  End receiver_;
  std::vector<std::byte> room_;
  std::vector<std::byte> sent_ = std::vector<std::byte>(kLength);
  std::vector<std::byte> received_ = std::vector<std::byte>(kLength);
  std::vector<std::byte> beside_ = std::vector<std::byte>(100);
  Handle handle_ = 0;
  Nanoseconds now_{1'000'000};
};

void long_message(benchmark::State& state) {
  if (!start_cryptography()) state.SkipWithError("no cryptography");
  Pair pair(static_cast<std::uint32_t>(state.range(0)), static_cast<std::size_t>(state.range(1)));
  for (auto _ : state) pair.exchange();
  const auto packets = static_cast<double>(packets_of(kLength, FlowLimits{}.payload));
  state.counters["packet"] = benchmark::Counter(
      packets, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Packets that leave one by one, and as runs.
BENCHMARK(long_message)
    ->ArgNames({"peers", "most"})
    ->ArgsProduct({{2, 64, 1024}, {1, longest_run}})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace quadrille::wire
