// SPDX-License-Identifier: BSD-3-Clause
// Allreduce by recursive halving and doubling: partners split the vector between them, then put it
// together again.
//
// In round k a rank and the one whose number differs in bit k halve the part of the vector they
// share; each sends the half that the other keeps and combines the half it keeps, the lower rank's
// to the left. After log2 p rounds each rank has its own part summed over all; the same exchanges
// in reverse order, now of finished parts, give everybody everything. Ranks beyond a power of two
// are folded onto a neighbour.
//
//   5 ranks, 0 folded onto 1, vector abcd:
//     halving     1<->2, 3<->4: 1, 3 keep ab, 2, 4 keep cd
//                 1<->3, 2<->4: 1 keeps a, 3 b, 2 c, 4 d, summed over all
//     doubling    1<->3: ab, 2<->4: cd; then 1<->2, 3<->4: abcd; then 1->0
//
// Steps:  2 log2 p exchanges, two whole vectors more for ranks that are folded.
// Bytes:  every rank sends and receives 2 m (q - 1) / q for q ranks, q a power of two.
// Needs:  scratch for m elements, 2 m where a rank is folded in; no commuting operation.
// Loses:  at small m against allreduce_recursive_doubling, which has half the rounds; at large m
//         against allreduce_ring where ranks are folded, or where far partners share trunks.
// Source: Rabenseifner, Optimization of collective reduction operations, International Conference
//         on Computational Science 2004, doi:10.1007/978-3-540-24685-5_1
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/reduce/folded_ranks.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_allreduce_rabenseifner(const Shape&) { return true; }

namespace {

// Parts [first, end) of the vector, of as many as there are participants.
struct Window {
  std::uint64_t first = 0;
  std::uint64_t end = 1;

  Window lower_half() const { return {first, (first + end) / 2}; }
  Window upper_half() const { return {(first + end) / 2, end}; }
};

class HalvingAndDoubling {
 public:
  HalvingAndDoubling(ScheduleBuilder& builder, const FoldedRanks& folded, const Shape& shape,
                     Rank rank)
      : builder_(builder),
        folded_(folded),
        self_(folded.participant_of(rank)),
        target_{Buffer::receive, 0, shape.count},
        scratch_(builder.scratch(shape.count)) {}

  // From the sum of the ranks that this one stands for, anywhere but in scratch, to the result in
  // `receive`.
  void run(Region sum) {
    std::vector<Window> windows{{0, static_cast<std::uint64_t>(folded_.participants())}};
    for (Rank bit = 1; bit < folded_.participants(); bit *= 2) {
      const Window& shared = windows.back();
      const bool is_lower = (self_ & bit) == 0;
      const Window kept = is_lower ? shared.lower_half() : shared.upper_half();
      const Window given = is_lower ? shared.upper_half() : shared.lower_half();
      sum = halve(sum, folded_.rank_of_participant(self_ ^ bit), kept, given, is_lower);
      windows.push_back(kept);
    }
    if (sum.buffer != Buffer::receive) {
      builder_.copy(part(sum, windows.back()), part(target_, windows.back()));
    }
    for (Rank bit = folded_.participants() / 2; bit > 0; bit /= 2) {
      const Window mine = windows.back();
      windows.pop_back();
      const bool is_lower = (self_ & bit) == 0;
      const Window missing = is_lower ? windows.back().upper_half() : windows.back().lower_half();
      const Rank partner = folded_.rank_of_participant(self_ ^ bit);
      send(partner, part(target_, mine));
      receive(partner, part(target_, missing));
    }
  }

 private:
  Region part(const Region& whole, const Window& window) const {
    return whole.parts(window.first, window.end,
                       static_cast<std::uint64_t>(folded_.participants()));
  }

  // Exchanges halves and combines the kept one; returns the vector that then holds its sum.
  Region halve(const Region& sum, Rank partner, const Window& kept, const Window& given,
               bool is_lower) {
    // The user's send buffer may not be summed into; `receive` is free as long as the sum lies
    // there.
    const bool is_users = sum.buffer == Buffer::send;
    const Region& other =
        sum.buffer == Buffer::receive || (is_users && !is_lower) ? scratch_ : target_;
    send(partner, part(sum, given));
    receive(partner, part(other, kept));
    if (is_lower) {
      builder_.reduce(part(sum, kept), part(other, kept));
      return other;
    }
    const Region& writable = is_users ? target_ : sum;
    if (is_users) builder_.copy(part(sum, kept), part(target_, kept));
    builder_.reduce(part(other, kept), part(writable, kept));
    return writable;
  }

  // Parts of short vectors may be empty, which both ends know.
  void send(Rank partner, const Region& from) {
    if (from.length > 0) builder_.send(partner, from);
  }
  void receive(Rank partner, const Region& into) {
    if (into.length > 0) builder_.receive(partner, into);
  }

  ScheduleBuilder& builder_;
  const FoldedRanks& folded_;
  const Rank self_;
  const Region target_;
  const Region scratch_;
};

}  // namespace

Schedule generate_allreduce_rabenseifner(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  const Rank rank = input.rank;
  ScheduleBuilder builder;
  const Region own = contribution(shape, rank);
  const Region target{Buffer::receive, 0, shape.count};
  if (shape.ranks == 1 || shape.count == 0) {
    if (own != target) builder.copy(own, target);
    return builder.build();
  }
  const FoldedRanks folded(shape.ranks);
  if (folded.is_folded_away(rank)) {
    builder.send(rank + 1, own);
    builder.receive(rank + 1, target);
    return builder.build();
  }
  HalvingAndDoubling exchange(builder, folded, shape, rank);
  if (!folded.is_paired(rank)) {
    exchange.run(own);
    return builder.build();
  }
  const Region folded_in = builder.scratch(shape.count);
  builder.receive(rank - 1, folded_in);
  if (own != target) builder.copy(own, target);
  builder.reduce(folded_in, target);
  exchange.run(target);
  builder.send(rank - 1, target);
  return builder.build();
}

}  // namespace quadrille
