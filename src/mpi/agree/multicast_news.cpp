// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/agree/multicast_news.h"

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <string>

#include "mpi/job/runtime.h"

namespace quadrille {
namespace {

// A finding is the rank that sends, and below it the one that does not hear.
constexpr unsigned bits_of_rank = 31;

std::string with_host(const Runtime& runtime, std::size_t world_rank) {
  return std::to_string(world_rank) + " (" +
         runtime.host_name(runtime.host_of_world_rank()[world_rank]) + ")";
}

void say_it_stopped(const Runtime& runtime, std::size_t sender, std::size_t peer) {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  std::fprintf(stderr,
               "quadrille: what rank %s sends by multicast no longer reaches rank %s; calls go "
               "without multicast until it does again. That rank answers in time what is sent to "
               "it alone: the network has stopped to forward multicast to its host\n",
               with_host(runtime, sender).c_str(), with_host(runtime, peer).c_str());
}

void say_it_is_back() {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (said.test_and_set()) return;
  std::fprintf(stderr, "quadrille: multicast reaches all ranks again; calls use it again\n");
}

}  // namespace

std::int64_t multicast_finding(const Runtime& runtime) {
  const auto unreached = runtime.wire()->unreached();
  if (!unreached) return -1;
  return std::int64_t{runtime.world_rank()} << bits_of_rank | static_cast<std::int64_t>(*unreached);
}

void tell_multicast_news(const Runtime& runtime, const AgreedCall::MulticastNews& news,
                         bool is_first) {
  if (news.reaches_all) {
    if (is_first) say_it_is_back();
    return;
  }
  const std::int64_t sender = news.finding >> bits_of_rank;
  const std::int64_t peer = news.finding & ((std::int64_t{1} << bits_of_rank) - 1);
  if (sender == runtime.world_rank())
    say_it_stopped(runtime, static_cast<std::size_t>(sender), static_cast<std::size_t>(peer));
}

}  // namespace quadrille
