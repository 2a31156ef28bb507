// SPDX-License-Identifier: BSD-3-Clause
// On the user's communicator, as it has no context of ours yet. The AND of a value and the AND of
// its complement are each other's complement only where all ranks gave the same.
#include "mpi/communicator/contexts.h"

#include <sched.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

namespace quadrille {
namespace {

using Offer = ContextNumbers::Offer;

constexpr std::size_t offer_words = std::tuple_size_v<Offer>;
constexpr std::size_t usable_word = offer_words;
constexpr std::size_t fingerprint_word = offer_words + 1;
constexpr std::size_t complement_word = offer_words + 2;
constexpr std::size_t host_memory_word = offer_words + 3;
constexpr std::size_t rehearsed_word = offer_words + 4;
constexpr std::size_t won_word = offer_words + 5;
using ContextWords = std::array<std::uint64_t, offer_words + 6>;
struct ContextExchange {
  ContextWords mine{};
  ContextWords all{};
};

}  // namespace

Contexts::Agreement Contexts::agree(MPI_Comm communicator, const Terms& terms,
                                    const LongWait& long_wait) {
  ContextNumbers::Agreement agreement(terms.rank == 0, terms.world_rank);
  // Without memory for it the others still have to be answered.
  std::unique_ptr<ContextExchange> exchange(new (std::nothrow) ContextExchange);
  ContextExchange in_place;
  for (;;) {
    auto& [mine, all] = exchange ? *exchange : in_place;
    std::ranges::copy(numbers_.offer(agreement), mine.begin());
    mine[usable_word] = terms.is_usable ? ~std::uint64_t{0} : 0;
    mine[fingerprint_word] = terms.fingerprint;
    mine[complement_word] = ~terms.fingerprint;
    mine[host_memory_word] = terms.has_host_memory ? ~std::uint64_t{0} : 0;
    mine[rehearsed_word] = terms.reductions.rehearsed;
    mine[won_word] = terms.reductions.won;
    MPI_Request request = MPI_REQUEST_NULL;
    int code = PMPI_Iallreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UINT64_T,
                               MPI_BAND, communicator, &request);
    if (code == MPI_SUCCESS) code = await_all({&request, 1}, long_wait);
    if (code != MPI_SUCCESS) {
      // A collective cannot be withdrawn: it may still read and write these words.
      if (request != MPI_REQUEST_NULL) {
        [[maybe_unused]] const ContextExchange* const kept = exchange.release();
      }
      numbers_.withdraw(agreement);
      return {.verdict = Verdict::failed, .mpi_error = code};
    }
    const bool all_usable = all[usable_word] != 0;
    if (!all_usable || all[fingerprint_word] != ~all[complement_word]) {
      numbers_.withdraw(agreement);
      return {all_usable ? Verdict::different : Verdict::unusable};
    }
    Offer common{};
    std::copy_n(all.begin(), offer_words, common.begin());
    if (numbers_.take(agreement, common)) {
      const auto number = agreement.number();
      if (!number) return {Verdict::none_left};
      return {Verdict::agreed,
              *number,
              all[host_memory_word] != 0 && agreement.is_unused(),
              {all[rehearsed_word], all[won_word]}};
    }
    sched_yield();
  }
}

}  // namespace quadrille
