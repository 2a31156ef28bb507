// SPDX-License-Identifier: BSD-3-Clause
// All-to-all in ceil(log2 p) rounds, blocks travelling together.
//
// A block has to travel (target - source) ranks onward; it does so in jumps of the powers of two
// that make up that distance. In round k each rank packs all blocks whose distance has bit k,
// sends them 2^k ranks onward and puts those it gets into the same places. In the end the block in
// place d has come from the rank d before.
//
//   5 ranks, what rank r sends:   round   to      places (distances)
//                                   0     r + 1   1 3
//                                   1     r + 2   2 3
//                                   2     r + 4   4
//
// Steps:  ceil(log2 p) messages a rank; about 4 p copies within it.
// Bytes:  every rank sends and receives about m (p / 2) log2 p.
// Needs:  scratch for at most 2 p blocks.
// Loses:  as soon as the bytes matter: each block crosses the wire up to log2 p times.
// Source: Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient algorithms for all-to-all
//         communications in multiport message-passing systems, IEEE Transactions on Parallel and
//         Distributed Systems 8 (1997), doi:10.1109/71.642949
#include <algorithm>

#include "algorithms/algorithm.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_alltoall_bruck(const Shape&) { return true; }

namespace {

class Rotation {
 public:
  explicit Rotation(const GeneratorInput& input)
      : shape_(input.shape),
        rank_(input.rank),
        places_(builder_.scratch(blocks_length(shape_.ranks, shape_))) {}

  Schedule run() {
    const Region user{Buffer::send, 0, places_.length};
    builder_.copy(run_of(user, rank_, shape_.ranks - rank_),
                  run_of(places_, 0, shape_.ranks - rank_));
    builder_.copy(run_of(user, 0, rank_), run_of(places_, shape_.ranks - rank_, rank_));
    const Region outgoing = builder_.scratch(blocks_length(most_in_a_round(), shape_));
    const Region incoming = builder_.scratch(outgoing.length);
    for (Rank bit = 1; bit < shape_.ranks; bit *= 2) exchange(bit, outgoing, incoming);
    for (Rank place = 0; place < shape_.ranks; ++place) {
      const Rank source = ring_rank(rank_, -place, shape_.ranks);
      builder_.copy(run_of(places_, place, 1), block_of(Buffer::receive, source, shape_.count));
    }
    return builder_.build();
  }

 private:
  Region run_of(const Region& whole, Rank first, Rank number) const {
    return blocks_in(whole, first, number, shape_);
  }

  // Calls `visit` with each run of places whose distance has `bit`: first place and length.
  template <typename Visit>
  void for_each_run(Rank bit, const Visit& visit) const {
    for (Rank first = bit; first < shape_.ranks; first += 2 * bit) {
      visit(first, std::min(bit, shape_.ranks - first));
    }
  }

  Rank most_in_a_round() const {
    Rank most = 0;
    for (Rank bit = 1; bit < shape_.ranks; bit *= 2) {
      Rank sum = 0;
      for_each_run(bit, [&](Rank, Rank length) { sum += length; });
      most = std::max(most, sum);
    }
    return most;
  }

  void exchange(Rank bit, const Region& outgoing, const Region& incoming) {
    Rank packed = 0;
    for_each_run(bit, [&](Rank first, Rank length) {
      builder_.copy(run_of(places_, first, length), run_of(outgoing, packed, length));
      packed += length;
    });
    builder_.send(ring_rank(rank_, bit, shape_.ranks), run_of(outgoing, 0, packed));
    builder_.receive(ring_rank(rank_, -bit, shape_.ranks), run_of(incoming, 0, packed));
    Rank unpacked = 0;
    for_each_run(bit, [&](Rank first, Rank length) {
      builder_.copy(run_of(incoming, unpacked, length), run_of(places_, first, length));
      unpacked += length;
    });
  }

  const Shape& shape_;
  const Rank rank_;
  ScheduleBuilder builder_;
  const Region places_;
};

}  // namespace

Schedule generate_alltoall_bruck(const GeneratorInput& input) {
  if (input.shape.count == 0) return {};
  return Rotation(input).run();
}

}  // namespace quadrille
