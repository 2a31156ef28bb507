// SPDX-License-Identifier: BSD-3-Clause
// All-to-all of blocks of any lengths over the wire in which all small blocks between two hosts
// travel as one message: alltoall_gathered, with lengths that the ranks of a host have told each
// other before. A block of more than `gathered_bytes` goes from rank to rank as in
// alltoallv_granted; both its ends, and who would carry it, know its length and decide alike. Also
// MPI_Alltoallw, of packed blocks.
//
// Empty blocks cost nothing, and what holds none but empty ones is not sent. What lies in a row
// already is not copied.
//
//   Ranks 0 1 / 2 3 / 4 on three hosts, what the host of 0 and 1 does; 0 has much for 2:
//     tell        0 -> 1: lengths to and from 4  1 -> 0: to 2 and 3, and from them
//     hand over   0 -> 1: for 1 and for 4        1 -> 0: for 0, 2 and 3
//     exchange    0 -> 2: for 3 of 0, for 2 and 3 of 1     1 -> 4: those of 0 and 1 for 4
//                 0 <- 4: those for 0 and 1                1 <- 3: those for 0 and 1
//     large       0 -> 2: the block of 0 for 2
//     deal out    0 -> 1: from 4                 1 -> 0: from 2 and 3
//
// Steps:  one message for each pair of hosts and way, and one for each large block; 3 (q - 1)
//         within a host a rank with q ranks a host; about 3 p copies.
// Bytes:  between hosts the blocks' own; within a host small ones as many twice, and about
//         16 p (q - 1) / q of lengths.
// Needs:  the wire; without it nothing paces the messages. LocalCounts::told; scratch for about six
//         times the small blocks.
// Loses:  where blocks fill packets: then it is alltoallv_granted with two hand-overs more.
// Source: as of alltoall_gathered: Kutzner et al., Journal of Computational Chemistry 28 (2007),
//         doi:10.1002/jcc.20703; Traeff and Rougier, EuroMPI 2014, doi:10.1145/2642769.2642770
#include <cstddef>
#include <numeric>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/alltoall/carried_hosts.h"
#include "algorithms/packed_regions.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_alltoallv_gathered(const Shape&) { return true; }

namespace {

using Ranks = std::vector<Rank>;
using Lengths = std::vector<std::uint64_t>;
using Meeting = CarriedHosts::Meeting;

class UnevenGathering {
 public:
  explicit UnevenGathering(const GeneratorInput& input)
      : input_(input),
        largest_(static_cast<std::uint64_t>(input.parameters["gathered_bytes"])),
        hosts_(input.view, input.rank),
        place_(hosts_.place()),
        all_targets_(hosts_.targets_of(place_).size()),
        handed_(hosts_.own().size()) {
    if (input.view.has_wire) builder_.use_wire();
  }

  Schedule run() {
    hand_over();
    exchange();
    exchange_large();
    deal_out();
    return builder_.build();
  }

 private:
  // Of a block of `length`, how much of it is gathered: all or nothing.
  std::uint64_t small(std::uint64_t length) const { return length <= largest_ ? length : 0; }
  Region small(Region block) const {
    block.length = small(block.length);
    return block;
  }
  Region outgoing(Rank target) const { return input_.counts.send.of(Buffer::send, target); }
  Region incoming(Rank source) const { return input_.counts.receive.of(Buffer::receive, source); }

  // What is gathered of the blocks of the rank at `place` for this carrier's target number
  // `number`, and of those from its source of that number.
  std::uint64_t to_target(std::size_t place, std::size_t number) const {
    return small(input_.counts.told[place][number]);
  }
  std::uint64_t from_source(std::size_t place, std::size_t number, Rank source) const {
    return small(place == place_ ? incoming(source).length
                                 : input_.counts.told[place][all_targets_ + number]);
  }

  void hand_over() {
    hosts_.for_each_neighbour([&](Rank neighbour, std::size_t place) {
      take_over(neighbour, place);
      PackedRegions message;
      for (const Rank target : hosts_.targets_of(place)) message.add(small(outgoing(target)));
      message.add(small(outgoing(neighbour)));
      message.send(builder_, neighbour);
    });
    builder_.copy(outgoing(input_.rank), incoming(input_.rank));
  }

  // The neighbour's blocks that this rank carries, and behind them that for this rank.
  void take_over(Rank neighbour, std::size_t place) {
    std::uint64_t carried = 0;
    for (std::size_t number = 0; number < all_targets_; ++number)
      carried += to_target(place, number);
    const Region own = small(incoming(neighbour));
    PackedRegions message;
    if (carried == 0) {
      message.add(own);
      message.receive(builder_, neighbour);
      return;
    }
    Region all = builder_.scratch(carried + own.length);
    builder_.receive(neighbour, all);
    handed_[place] = next_of(all, carried);
    builder_.copy(all, own);
  }

  void exchange() {
    std::size_t first_target = 0;
    std::size_t first_source = 0;
    hosts_.for_each_carried(place_, [&](const Meeting& meeting) {
      bring(meeting, first_source);
      gathered(meeting, first_target).send(builder_, meeting.target);
      first_target += meeting.targets.size();
      first_source += meeting.sources.size();
    });
  }

  // The message to a host: of each own rank the small blocks for all ranks there.
  PackedRegions gathered(const Meeting& meeting, std::size_t first) {
    PackedRegions message;
    for (std::size_t place = 0; place < hosts_.own().size(); ++place) {
      for (std::size_t i = 0; i < meeting.targets.size(); ++i) {
        if (place == place_) {
          message.add(small(outgoing(meeting.targets[i])));
        } else {
          message.add(next_of(handed_[place], to_target(place, first + i)));
        }
      }
    }
    return message;
  }

  // The message from a host, and where in it the blocks for each own rank are.
  void bring(const Meeting& meeting, std::size_t first) {
    if (hosts_.own().size() == 1) {
      PackedRegions message;
      for (const Rank source : meeting.sources) message.add(small(incoming(source)));
      message.receive(builder_, meeting.source);
      return;
    }
    Lengths lengths;
    for (std::size_t i = 0; i < meeting.sources.size(); ++i) {
      for (std::size_t place = 0; place < hosts_.own().size(); ++place)
        lengths.push_back(from_source(place, first + i, meeting.sources[i]));
    }
    Region rest =
        builder_.scratch(std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0}));
    if (rest.length > 0) builder_.receive(meeting.source, rest);
    for (const std::uint64_t length : lengths) brought_.push_back(next_of(rest, length));
  }

  static Region next_of(Region& rest, std::uint64_t length) {
    const Region next{rest.buffer, rest.offset, length};
    rest.offset += length;
    rest.length -= length;
    return next;
  }

  void exchange_large() {
    partners_by_host(input_.view, input_.rank).in_order([&](Rank source, Rank target) {
      const Region into = incoming(source);
      const Region from = outgoing(target);
      if (into.length > largest_) builder_.receive(source, into);
      if (from.length > largest_) builder_.send(target, from);
    });
  }

  void deal_out() {
    if (hosts_.own().size() == 1) return;
    const Ranks sources = hosts_.sources_of(place_);
    const auto brought = [&](std::size_t number, std::size_t place) {
      return brought_[number * hosts_.own().size() + place];
    };
    for (std::size_t number = 0; number < sources.size(); ++number)
      builder_.copy(brought(number, place_), small(incoming(sources[number])));
    hosts_.for_each_neighbour([&](Rank neighbour, std::size_t place) {
      PackedRegions from;
      for (const Rank source : hosts_.sources_of(place)) from.add(small(incoming(source)));
      from.receive(builder_, neighbour);
      PackedRegions message;
      for (std::size_t number = 0; number < sources.size(); ++number)
        message.add(brought(number, place));
      message.send(builder_, neighbour);
    });
  }

  const GeneratorInput& input_;
  const std::uint64_t largest_;
  const CarriedHosts hosts_;
  const std::size_t place_;
  const std::size_t all_targets_;  // that this rank carries to
  ScheduleBuilder builder_;
  std::vector<Region> handed_;   // by place: what is left of the blocks to be carried
  std::vector<Region> brought_;  // by source and place
};

}  // namespace

Schedule generate_alltoallv_gathered(const GeneratorInput& input) {
  return UnevenGathering(input).run();
}

}  // namespace quadrille
