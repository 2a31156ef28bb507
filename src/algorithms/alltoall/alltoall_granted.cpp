// SPDX-License-Identifier: BSD-3-Clause
// All-to-all over the wire: every block is one message, all are started at once, and who may send
// is granted by the receivers. The order of the steps is the order in which they grant: in each
// phase a host receives from one other host and sends to one, and the next is begun as soon as the
// budget of the receiving host allows, so that phases stay aligned without barriers and a late rank
// holds up nobody else. Where hosts are even in number, both are the same host, and what is granted
// and has arrived rides on the data that goes back.
//
//   5 hosts of one rank; what rank 0      4 hosts; who exchanges with whom:
//   sends and receives:
//     phase 1  to 1, from 4                 phase 1  1-2, 0-3
//     phase 2  to 2, from 3                 phase 2  0-1, 2-3
//     phase 3  to 3, from 2                 phase 3  0-2, 1-3
//     phase 4  to 4, from 1
//   Two ranks a host: in a phase both ranks of one host exchange with both of the other, each
//   beginning with another; blocks between ranks of one host go beside.
//
// Steps:  p - 1 sends and receives a rank, one copy of its own block.
// Bytes:  each rank sends and receives (p - 1) m; under way to one host: what its budget grants.
// Needs:  the wire; without it nothing paces the messages. No scratch.
// Loses:  where blocks are far smaller than a packet: alltoall_bruck sends fewer, alltoall_gathered
//         too where hosts have several ranks.
// Source: Kutzner, van der Spoel, Fechner, Lindahl, Schmitt, de Groot and Grubmueller, Speeding up
//         parallel GROMACS on high-latency networks, Journal of Computational Chemistry 28 (2007),
//         doi:10.1002/jcc.20703 (phases); grants by receivers: Montazeri, Li, Alizadeh and
//         Ousterhout, Homa, SIGCOMM 2018, doi:10.1145/3230543.3230564
#include "algorithms/algorithm.h"
#include "algorithms/alltoall/partners_by_host.h"
#include "algorithms/rank_arithmetic.h"
#include "schedule/builder.h"

namespace quadrille {

bool supports_alltoall_granted(const Shape&) { return true; }

Schedule generate_alltoall_granted(const GeneratorInput& input) {
  const Shape& shape = input.shape;
  ScheduleBuilder builder;
  if (shape.count == 0) return builder.build();
  if (input.view.has_wire) builder.use_wire();
  partners_by_host(input.view, input.rank).in_order([&](Rank source, Rank target) {
    builder.receive(source, block_of(Buffer::receive, source, shape.count));
    builder.send(target, block_of(Buffer::send, target, shape.count));
  });
  builder.copy(block_of(Buffer::send, input.rank, shape.count),
               block_of(Buffer::receive, input.rank, shape.count));
  return builder.build();
}

}  // namespace quadrille
