// SPDX-License-Identifier: BSD-3-Clause
// All-to-all of blocks of any lengths over the wire: alltoall_granted, without the blocks that are
// empty. What one rank has more than others takes its time and no more: receivers that are done
// with their first partners grant to the next.
//
//   5 ranks, one a host; rank 0 has nothing for rank 2, and much for rank 3:
//     phase 1  0 to 1, 0 from 4
//     phase 2          0 from 3
//     phase 3  0 to 3, 0 from 2
//     phase 4  0 to 4, 0 from 1, both while rank 3 still receives
//
// Steps:  a send and a receive for each block that is not empty, one copy.
// Bytes:  the blocks' own; under way to one host: what its budget grants.
// Needs:  the wire; without it nothing paces the messages. No scratch.
// Loses:  where most blocks are far smaller than a packet.
// Source: as of alltoall_granted: Kutzner et al., Journal of Computational Chemistry 28 (2007),
//         doi:10.1002/jcc.20703; Montazeri et al., SIGCOMM 2018, doi:10.1145/3230543.3230564
#include "algorithms/algorithm.h"
#include "algorithms/alltoall/partners_by_host.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_alltoallv_granted(const Shape&) { return true; }

Schedule generate_alltoallv_granted(const GeneratorInput& input) {
  ScheduleBuilder builder;
  if (input.view.has_wire) builder.use_wire();
  partners_by_host(input.view, input.rank).in_order([&](Rank source, Rank target) {
    const Region into = input.counts.receive.of(Buffer::receive, source);
    const Region from = input.counts.send.of(Buffer::send, target);
    if (into.length > 0) builder.receive(source, into);
    if (from.length > 0) builder.send(target, from);
  });
  builder.copy(input.counts.send.of(Buffer::send, input.rank),
               input.counts.receive.of(Buffer::receive, input.rank));
  return builder.build();
}

}  // namespace quadrille
