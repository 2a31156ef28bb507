// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/agree/rehearsal.h"

#include <cstddef>
#include <vector>

#include "base/monotonic_clock.h"
#include "mpi/call/call_memory.h"
#include "mpi/call/datatype.h"

namespace quadrille {
namespace {

int by_library(const CallArguments& call) {
  const int count = static_cast<int>(call.send.count);
  if (call.collective == Collective::reduce)
    return PMPI_Reduce(call.send.address, call.receive.address, count, call.send.type, call.op,
                       call.root, call.comm);
  return PMPI_Allreduce(call.send.address, call.receive.address, count, call.send.type, call.op,
                        call.comm);
}

}  // namespace

Rehearsed rehearse(Communicator& communicator, const CallArguments& call, Shape shape,
                   const Candidate& chosen) {
  const auto bytes = static_cast<std::size_t>(layout_of(call.send.type).extent) * shape.count;
  std::vector<std::byte> from(bytes);
  std::vector<std::byte> into(bytes);
  CallArguments on_zeros = call;
  on_zeros.send.address = from.data();
  on_zeros.receive = on_zeros.send;
  on_zeros.receive.address = into.data();
  shape.in_place = false;
  const Nanoseconds start = monotonic_now();
  int code = MPI_SUCCESS;
  if (chosen.algorithm == nullptr || !chosen.algorithm->supports(shape)) {
    code = by_library(on_zeros);
  } else {
    code = run_reduction(communicator, *communicator.planner().schedule(shape, chosen), shape,
                         on_zeros)
               .code;
  }
  return {code, (monotonic_now() - start).value};
}

}  // namespace quadrille
