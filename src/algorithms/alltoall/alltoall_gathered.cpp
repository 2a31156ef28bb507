// SPDX-License-Identifier: BSD-3-Clause
// All-to-all over the wire in which all blocks between two hosts travel as one message: a host's
// ranks share its partner hosts among them, each hands its blocks for a partner host to the rank
// that carries them there, and that of the partner host deals them out. Blocks far smaller than a
// packet fill packets that way.
//
// Hosts meet in the order of alltoall_granted; phase k is carried by rank k of the host, counted
// around its ranks. Who hands to whom within a host is one message, with the block for the carrier
// itself, however many hosts that one carries for; what is dealt out likewise.
//
//   Ranks 0 1 / 2 3 / 4 on three hosts, what the host of 0 and 1 does:
//     hand over   0 -> 1: for 1 and for 4        1 -> 0: for 0, 2 and 3
//     exchange    0 -> 2: those of 0 and 1 for 2 and 3     1 -> 4: those of 0 and 1 for 4
//                 0 <- 4: those for 0 and 1                1 <- 3: those for 0 and 1
//     deal out    0 -> 1: from 4                 1 -> 0: from 2 and 3
//
// Steps:  one message for each pair of hosts and way, 2 (q - 1) within a host a rank with q ranks a
//         host; about p + 2 N copies with N hosts.
// Bytes:  between hosts (p - q) m a rank as in any all-to-all, within a host as many twice.
// Needs:  the wire; without it nothing paces the messages. Scratch for about 6 p blocks.
// Loses:  where blocks fill packets: then it is alltoall_granted with two hand-overs more.
// Source: Kutzner, van der Spoel, Fechner, Lindahl, Schmitt, de Groot and Grubmueller, Speeding up
//         parallel GROMACS on high-latency networks, Journal of Computational Chemistry 28 (2007),
//         doi:10.1002/jcc.20703 (phases); blocks of a node together: Traeff and Rougier, MPI
//         collectives and datatypes for hierarchical all-to-all communication, EuroMPI 2014,
//         doi:10.1145/2642769.2642770
#include <cstddef>
#include <utility>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/allgather/block_runs.h"
#include "algorithms/alltoall/carried_hosts.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_alltoall_gathered(const Shape&) { return true; }

namespace {

using Ranks = std::vector<Rank>;

class Gathering {
 public:
  explicit Gathering(const GeneratorInput& input)
      : count_(input.shape.count),
        hosts_(input.view, input.rank),
        own_(hosts_.own()),
        place_(hosts_.place()),
        sent_{Buffer::send, 0, blocks_length(input.shape.ranks, input.shape)},
        received_{Buffer::receive, 0, sent_.length} {
    if (input.view.has_wire) builder_.use_wire();
  }

  Schedule run() {
    hand_over();
    exchange();
    deal_out();
    return builder_.build();
  }

 private:
  // Whose blocks the carrier at `place` is handed: its own, then those for the hosts it sends to.
  Ranks handed_to(std::size_t place) const {
    Ranks targets = hosts_.targets_of(place);
    targets.insert(targets.begin(), own_[place]);
    return targets;
  }

  Region part(const Region& message, std::size_t first, std::size_t blocks) const {
    return {message.buffer, message.offset + first * count_, blocks * count_};
  }

  void receive_blocks(Rank peer, const Ranks& sources) {
    const std::vector<BlockRun> runs = runs_of(sources, count_);
    if (runs.size() == 1) {
      builder_.receive(peer, runs.front().of_vector(received_));
      return;
    }
    const Region message = builder_.scratch(sources.size() * count_);
    builder_.receive(peer, message);
    for (const BlockRun& run : runs)
      builder_.copy(run.of_message(message), run.of_vector(received_));
  }

  void hand_over() {
    const std::size_t blocks = handed_to(place_).size();
    handed_.resize(own_.size());
    hosts_.for_each_neighbour([&](Rank neighbour, std::size_t place) {
      handed_[place] = builder_.scratch(blocks * count_);
      builder_.receive(neighbour, handed_[place]);
      builder_.send(neighbour, packed_blocks(builder_, sent_, handed_to(place), count_));
    });
    hosts_.for_each_neighbour([&](Rank neighbour, std::size_t place) {
      builder_.copy(part(handed_[place], 0, 1), block_of(Buffer::receive, neighbour, count_));
    });
    builder_.copy(block_of(Buffer::send, own_[place_], count_),
                  block_of(Buffer::receive, own_[place_], count_));
  }

  // The message to the hosts of a phase: of each own rank the blocks for all ranks there.
  Region gathered(const Ranks& targets, std::size_t first) {
    if (own_.size() == 1) return packed_blocks(builder_, sent_, targets, count_);
    const Region message = builder_.scratch(own_.size() * targets.size() * count_);
    for (const BlockRun& run : runs_of(targets, count_)) {
      builder_.copy(run.of_vector(sent_),
                    run.of_message(part(message, place_ * targets.size(), targets.size())));
    }
    hosts_.for_each_neighbour([&](Rank, std::size_t place) {
      builder_.copy(part(handed_[place], first, targets.size()),
                    part(message, place * targets.size(), targets.size()));
    });
    return message;
  }

  void exchange() {
    std::size_t first = 1;  // of a message handed over: behind the carrier's own block
    hosts_.for_each_carried(place_, [&](const CarriedHosts::Meeting& meeting) {
      const Ranks& sources = meeting.sources;
      const Ranks& targets = meeting.targets;
      if (own_.size() == 1) {
        receive_blocks(meeting.source, sources);
      } else {
        brought_.push_back(builder_.scratch(sources.size() * own_.size() * count_));
        builder_.receive(meeting.source, brought_.back());
      }
      builder_.send(meeting.target, gathered(targets, first));
      first += targets.size();
    });
  }

  // The blocks for the rank at `place`, of each source in turn, into what `into` says of a source's
  // number among all that are brought.
  template <typename Into>
  void pick(std::size_t place, const Into& into) {
    std::size_t number = 0;
    for (const Region& message : brought_) {
      const std::size_t sources = message.length / (own_.size() * count_);
      for (std::size_t i = 0; i < sources; ++i)
        builder_.copy(part(message, i * own_.size() + place, 1), into(number++));
    }
  }

  void deal_out() {
    if (own_.size() == 1) return;
    const Ranks sources = hosts_.sources_of(place_);
    pick(place_,
         [&](std::size_t number) { return block_of(Buffer::receive, sources[number], count_); });
    hosts_.for_each_neighbour([&](Rank neighbour, std::size_t place) {
      const Ranks from = hosts_.sources_of(place);
      if (!from.empty()) receive_blocks(neighbour, from);
      if (sources.empty()) return;
      const Region message = builder_.scratch(sources.size() * count_);
      pick(place, [&](std::size_t number) { return part(message, number, 1); });
      builder_.send(neighbour, message);
    });
  }

  const std::uint64_t count_;
  const CarriedHosts hosts_;
  const Ranks& own_;
  const std::size_t place_;
  const Region sent_;
  const Region received_;
  ScheduleBuilder builder_;
  std::vector<Region> handed_;   // by place
  std::vector<Region> brought_;  // of the phases that this rank carries
};

}  // namespace

Schedule generate_alltoall_gathered(const GeneratorInput& input) {
  if (input.shape.count == 0) return {};
  return Gathering(input).run();
}

}  // namespace quadrille
