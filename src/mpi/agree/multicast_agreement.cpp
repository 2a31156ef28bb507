// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/agree/multicast_agreement.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "mpi/call/left_calls.h"
#include "mpi/communicator/communicator.h"
#include "mpi/job/runtime.h"

namespace quadrille {
namespace {

std::string with_host(const Runtime& runtime, std::size_t world_rank) {
  return std::to_string(world_rank) + " (" +
         runtime.host_name(runtime.host_of_world_rank()[world_rank]) + ")";
}

void say_it_stopped(const Runtime& runtime, std::size_t peer) {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  std::fprintf(stderr,
               "quadrille: what rank %s sends by multicast no longer reaches rank %s; calls go "
               "without multicast until it does again. That rank answers in time what is sent to "
               "it alone: the network has stopped to forward multicast to its host\n",
               with_host(runtime, static_cast<std::size_t>(runtime.world_rank())).c_str(),
               with_host(runtime, peer).c_str());
}

void say_it_is_back() {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  std::fprintf(stderr, "quadrille: multicast reaches all ranks again; calls use it again\n");
}

}  // namespace

MulticastAgreement agree_on_multicast(Communicator& communicator, const Candidate& chosen,
                                      Bytes size, const char* operation) {
  MulticastWatch& watch = communicator.multicast_watch();
  const bool takes_note = watch.is_away() || communicator.planner().uses_multicast(chosen);
  if (!takes_note || !watch.is_due(size)) return {};
  const Runtime& runtime = *Runtime::active();
  const auto unreached = runtime.wire()->unreached();
  // Of several that found it the highest rank speaks.
  const std::int64_t own = unreached ? runtime.world_rank() : -1;
  std::array speaker = {own};
  if (const int code = communicator.agree_on_maximum(speaker, operation); code != MPI_SUCCESS)
    return {.mpi_error = code};
  const bool reaches_all = speaker[0] < 0;
  if (!watch.found(reaches_all)) return {};
  if (reaches_all) {
    if (communicator.rank() == 0) say_it_is_back();
    communicator.planner().return_to_multicast();
  } else {
    if (speaker[0] == own) say_it_stopped(runtime, *unreached);
    communicator.planner().leave_multicast();
  }
  // While the ranks are away each call is counted, on all of them alike.
  LeftCalls::forget_all();
  return {.has_changed = true};
}

}  // namespace quadrille
