// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/attachment.h"

#include <cstdio>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fingerprint.h"
#include "mpi/call/forward_cache.h"
#include "mpi/communicator/membership.h"
#include "mpi/job/runtime.h"
#include "planner/wire_candidates.h"

namespace quadrille {
namespace {

int group_size_of(MPI_Comm handle) {
  MPI_Group group = MPI_GROUP_NULL;
  int size = -1;
  if (PMPI_Comm_group(handle, &group) != MPI_SUCCESS) return size;
  PMPI_Group_size(group, &size);
  PMPI_Group_free(&group);
  return size;
}

std::uint64_t fingerprint_of(std::span<const int> world_ranks) {
  return fingerprint(std::string_view(reinterpret_cast<const char*>(world_ranks.data()),
                                      world_ranks.size_bytes()));
}

KnownNetwork network_of(const std::vector<int>& world_ranks, const Runtime& runtime) {
  TopologyView view = runtime.view().restricted_to(world_ranks);
  if (runtime.model() == nullptr) return {std::move(view), std::nullopt, {}};
  std::vector<std::uint32_t> model_host_of_rank;
  for (const int world_rank : world_ranks) {
    const auto host = runtime.host_of_world_rank()[static_cast<std::size_t>(world_rank)];
    model_host_of_rank.push_back(runtime.model_host()[host]);
  }
  return known_network(*runtime.model(), std::move(view), model_host_of_rank);
}

std::string reason_of(Contexts::Verdict verdict, const std::string& contradiction) {
  switch (verdict) {
    case Contexts::Verdict::different:
      return "the MPI library tells its ranks of different processes";
    case Contexts::Verdict::none_left:
      return "all context numbers are in use";
    case Contexts::Verdict::failed:
      return "the MPI library fails to add up what its ranks offer";
    default:
      return contradiction.empty() ? "some rank cannot work on it" : contradiction;
  }
}

}  // namespace

// The mark of communicators that are none of ours.
Attachment* Attachment::nobodys() {
  static Attachment none(MPI_COMM_NULL, 0, 0, true);
  return &none;
}

Attachment* Attachment::find(MPI_Comm handle) {
  const Runtime* runtime = Runtime::active();
  if (runtime == nullptr || handle == MPI_COMM_NULL) return nullptr;
  void* state = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(handle, runtime->communicator_key(), static_cast<void*>(&state), &found) !=
      MPI_SUCCESS)
    return nullptr;
  Attachment* const attachment = found != 0 ? static_cast<Attachment*>(state) : attach(handle);
  return attachment == nobodys() ? nullptr : attachment;
}

Attachment* Attachment::attach(MPI_Comm handle) {
  const int key = Runtime::active()->communicator_key();
  int between = 0;
  int size = 0;
  int rank = 0;
  PMPI_Comm_test_inter(handle, &between);
  PMPI_Comm_size(handle, &size);
  PMPI_Comm_rank(handle, &rank);
  const bool is_consistent = between != 0 || group_size_of(handle) == size;
  if (between != 0 || (size < 2 && is_consistent)) {
    PMPI_Comm_set_attr(handle, key, nobodys());
    return nobodys();
  }
  std::unique_ptr<Attachment> made(new Attachment(handle, rank, size, is_consistent));
  if (PMPI_Comm_set_attr(handle, key, made.get()) != MPI_SUCCESS) throw std::bad_alloc();
  return made.release();
}

int Attachment::forget(MPI_Comm, int, void* state, void*) noexcept {
  ForwardCache::forget_all();
  auto* const attachment = static_cast<Attachment*>(state);
  if (attachment == nobodys()) return MPI_SUCCESS;
  if (Runtime* const runtime = Runtime::active();
      runtime != nullptr && attachment->communicator_ != nullptr)
    attachment->communicator_->release(runtime->contexts());
  delete attachment;
  return MPI_SUCCESS;
}

const char* Attachment::reason_to_leave(const Shape& shape) const {
  const Runtime& runtime = *Runtime::active();
  const PlannerOptions& options = runtime.planner_options();
  if (!is_consistent_ || runtime.trace() != nullptr || runtime.settings().check_decisions ||
      options.forced.contains(shape.collective))
    return nullptr;
  if (runtime.view().hosts() < 2) return "one host or island";
  if (size_ < 3) return "too small to try";
  const bool is_costed = runtime.model() != nullptr && !has_counts(shape.collective);
  if (is_costed || needs_shared_size(shape.collective)) return nullptr;
  const Bytes size = message_size(shape);
  // Once the ranks have agreed, the planner knows.
  const bool may_be_ours = size >= options.trial_floor || communicator_ != nullptr ||
                           !in_host_memory(shape, size, runtime.view()).empty();
  return may_be_ours ? nullptr : "too small to try";
}

const Neighbourhood* Attachment::neighbourhood(bool in_nonblocking_calls) {
  auto& known = in_nonblocking_calls ? neighbourhood_of_nonblocking_ : neighbourhood_;
  if (!known) known = neighbourhood_on(handle_, in_nonblocking_calls);
  return known ? &*known : nullptr;
}

Communicator* Attachment::communicator(const char* operation) {
  if (!has_agreed_) agree(operation);
  return communicator_.get();
}

void Attachment::report_long_wait(const char* operation) const {
  const Runtime& runtime = *Runtime::active();
  const auto host = runtime.host_of_world_rank()[static_cast<std::size_t>(runtime.world_rank())];
  std::fprintf(stderr,
               "quadrille: rank %d (%s) has waited %lld s in %s, the first collective on a "
               "communicator of %d ranks, for others of them\n",
               rank_, runtime.host_name(host).c_str(),
               static_cast<long long>(runtime.settings().wait_report_s), operation, size_);
}

void Attachment::agree(const char* operation) {
  has_agreed_ = true;
  Runtime& runtime = *Runtime::active();
  std::string contradiction;
  std::unique_ptr<Communicator> made;
  Contexts::Terms terms{rank_, runtime.world_rank()};
  try {
    Membership members =
        membership_of(handle_, rank_, size_, runtime.shadow(), runtime.world_rank());
    contradiction = std::move(members.contradiction);
    // Of several worlds, as each rank sees for itself. They may have other settings: the exchange
    // might not take place in all of them.
    if (members.world_ranks.empty() && contradiction.empty()) return;
    if (!members.world_ranks.empty()) {
      terms.fingerprint = fingerprint_of(members.world_ranks);
      KnownNetwork network = network_of(members.world_ranks, runtime);
      made = std::make_unique<Communicator>(handle_, rank_, std::move(members.world_ranks),
                                            std::move(network));
    }
  } catch (const std::bad_alloc&) {
    made.reset();  // the others learn of it next
  }
  terms.is_usable = made != nullptr;
  terms.has_host_memory = runtime.host_memory() != nullptr;
  terms.reductions = runtime.known_reductions();
  const Contexts::Agreement agreement = runtime.contexts().agree(
      handle_, terms,
      {runtime.settings().wait_report_s, [this, operation] { report_long_wait(operation); }});
  if (agreement.verdict == Contexts::Verdict::agreed) {
    made->begin(agreement, operation);
    communicator_ = std::move(made);
    return;
  }
  if (rank_ == 0 && runtime.settings().logs("plan")) {
    std::fprintf(stderr, "event=communicator ranks=%d executor=mpi reason=\"%s\"\n", size_,
                 reason_of(agreement.verdict, contradiction).c_str());
  }
}

}  // namespace quadrille
