// SPDX-License-Identifier: BSD-3-Clause
#include "planner/agree/call_agreement.h"

#include <algorithm>
#include <utility>

#include "planner/decision_text.h"

namespace quadrille {
namespace {

// Two of sizes, one of nonblocking calls' sizes, whether shares varied, multicast's finding.
constexpr std::size_t most_other_values = 5;
// Blocking calls that ask whether a stage of nonblocking ones is complete.
constexpr int most_asked_in_vain = 64;

}  // namespace

CallAgreement::CallAgreement(Planner& planner, Finding finding, bool tells_stages)
    : planner_(planner), finding_(std::move(finding)), tells_stages_(tells_stages) {}

bool CallAgreement::needs_share(const Shape& shape) const {
  return needs_shared_size(shape.collective) && planner_.depends_on_size(shape);
}

Decision& CallAgreement::decision() { return planner_.decision(shape_, may_alternate_, size_); }

std::span<std::int64_t> CallAgreement::begin(const Shape& shape, bool may_alternate,
                                             std::optional<Bytes> share) {
  shape_ = shape;
  may_alternate_ = may_alternate;
  shared_ = share ? &shared_sizes_[shape.collective] : nullptr;
  size_ = shared_ != nullptr ? shared_->agreed() : message_size(shape);
  decision_ = &decision();
  const Trial& trial = decision_->trial;
  // Of nonblocking calls first: nothing but a blocking call's exchange judges them, and somebody
  // may wait for that. The call's own stage is judged before the next one.
  if (!done_stage_ && !to_judge_.empty()) done_stage_ = to_judge_.front();
  if (!done_stage_ && trial.samples_are_due()) done_stage_ = {decision_, shape_, size_, shared_};
  values_.clear();
  // What can fail stands before what takes note of the call.
  const std::size_t samples = done_stage_ ? done_stage_->decision->trial.samples().size() : 0;
  values_.reserve(samples + most_other_values);

  // What is not tried makes no difference.
  const bool is_tried = share && *share >= planner_.options().trial_floor;
  compares_sizes_ = share && shared_->is_due(is_tried ? *share : Bytes{0}, !trial.settled());
  if (compares_sizes_) {
    const auto [largest, time_beside] = shared_->to_compare();
    values_.push_back(static_cast<std::int64_t>(largest));
    values_.push_back(static_cast<std::int64_t>(time_beside));
  }

  asks_for_size_of_.reset();
  if (!unknown_sizes_.empty()) {
    const auto& [collective, largest] = *unknown_sizes_.begin();
    asks_for_size_of_ = collective;
    values_.push_back(static_cast<std::int64_t>(largest.value));
  }

  if (done_stage_) bring_samples(*done_stage_);

  // What the exchange is about to decide is asked for at the next call. Calls whose size is shared
  // have no algorithm with multicast, so that none of these goes unasked.
  const bool is_by_multicast =
      !trial.samples_are_due() && planner_.uses_multicast(decision_->candidates[trial.candidate()]);
  asks_for_multicast_ = (multicast_.is_away() || is_by_multicast) && multicast_.is_due(size_);
  if (asks_for_multicast_) values_.push_back(finding_());
  return values_;
}

AgreedCall CallAgreement::finish(Nanoseconds start, Nanoseconds end) {
  AgreedCall agreed;
  std::span<const std::int64_t> of_all = values_;
  if (compares_sizes_) {
    shared_->learn({static_cast<std::uint64_t>(of_all[0]), static_cast<std::uint64_t>(of_all[1])},
                   start, end);
    of_all = of_all.subspan(2);
  }
  if (asks_for_size_of_) {
    known_sizes_[*asks_for_size_of_] = {static_cast<std::uint64_t>(of_all.front())};
    unknown_sizes_.erase(*asks_for_size_of_);
    of_all = of_all.subspan(1);
  }
  if (const auto stage = std::exchange(done_stage_, std::nullopt)) {
    const std::size_t brought = stage->decision->trial.samples().size() + 1;
    agreed.stage = judge(*stage, of_all.first(brought));
    of_all = of_all.subspan(brought);
  }
  if (asks_for_multicast_) agreed.multicast_news = take_multicast(of_all.front());

  if (shared_ != nullptr) size_ = shared_->agreed();
  if (!values_.empty()) decision_ = &decision();
  agreed.decision = decision_;
  agreed.size = size_;
  Trial& trial = decision_->trial;
  if (trial.samples_are_due()) {
    // Of another size or root than this call seemed to be of at its begin: the stage is judged
    // before the next call; this one is left to the MPI library and is no sample.
    done_stage_ = {decision_, shape_, size_, shared_};
    agreed.chosen = &decision_->candidates.front();
    return agreed;
  }
  trial.begin_call();
  agreed.chosen = &decision_->candidates[trial.candidate()];
  agreed.is_sample = !trial.settled();
  return agreed;
}

// The durations of its calls; last, whether they cannot be judged yet: this rank's share has
// varied, or one of them is still under way.
void CallAgreement::bring_samples(const DoneStage& stage) {
  if (!stage.shape.is_nonblocking) {
    const std::span<const std::int64_t> samples = stage.decision->trial.samples();
    values_.insert(values_.end(), samples.begin(), samples.end());
    values_.push_back(stage.shared != nullptr && stage.shared->has_varied() ? 1 : 0);
    return;
  }
  bool is_open = false;
  for (const auto& sample : open_samples_[stage.decision->key]) {
    const std::int64_t duration = sample->duration_ns.load(std::memory_order_relaxed);
    is_open = is_open || duration < 0;
    values_.push_back(duration < 0 ? OpenSample::longest_ns : duration);
  }
  values_.push_back(is_open ? 1 : 0);
}

CallAgreement::Nonblocking CallAgreement::start(const Shape& shape, bool may_alternate,
                                                std::optional<Bytes> share) {
  Bytes size = message_size(shape);
  if (share) {
    const auto known = known_sizes_.find(shape.collective);
    if (known == known_sizes_.end()) {
      const auto [unknown_size, is_first] = unknown_sizes_.try_emplace(shape.collective, *share);
      unknown_size->second = std::max(unknown_size->second, *share);
      Decision& unknown = planner_.decision(shape, may_alternate, size);
      return {.decision = &unknown, .chosen = &unknown.candidates.front(), .asks = is_first};
    }
    size = known->second;
  }
  Decision& decision = planner_.decision(shape, may_alternate, size);
  Trial& trial = decision.trial;
  // Until it is judged the MPI library goes on.
  if (trial.samples_are_due()) return {&decision, &decision.candidates.front(), size};
  trial.begin_call();
  Nonblocking call{&decision, &decision.candidates[trial.candidate()], size};
  if (trial.settled()) return call;
  call.sample = std::make_shared<OpenSample>();
  open_samples_[decision.key].push_back(call.sample);
  trial.record(0);  // its place
  call.asks = trial.samples_are_due();
  if (call.asks) to_judge_.push_back({&decision, shape, size, nullptr});
  return call;
}

// `longest`: of each of the stage's calls; last, whether on some rank it cannot be judged yet.
std::string CallAgreement::judge(const DoneStage& stage, std::span<const std::int64_t> longest) {
  const bool some_share_varied = longest.back() != 0;
  longest = longest.first(longest.size() - 1);
  if (stage.shape.is_nonblocking) {
    // The next exchange asks again. A program may complete a call unseen.
    if (some_share_varied && ++asked_in_vain_ < most_asked_in_vain) return {};
    asked_in_vain_ = 0;
    to_judge_.pop_front();
    open_samples_.erase(stage.decision->key);
  }
  std::string told =
      tells_stages_ ? stage_line(stage.shape, stage.size, *stage.decision, longest) : std::string();
  Trial& trial = stage.decision->trial;
  if (stage.shared != nullptr && stage.shared->end_stage(some_share_varied)) {
    trial.repeat_stage();
    return told;
  }
  trial.judge(longest);
  if (trial.settled()) {
    stage.decision->reason = "tried";
    planner_.keep_verdict(*stage.decision);
    if (stage.decision->is_rehearsed)
      planner_.end_rehearsal(*stage.decision, stage.shape.collective, stage.size);
  }
  return told;
}

std::optional<AgreedCall::MulticastNews> CallAgreement::take_multicast(std::int64_t finding) {
  const bool reaches_all = finding < 0;
  if (!multicast_.found(reaches_all)) return std::nullopt;
  if (reaches_all) {
    planner_.return_to_multicast();
  } else {
    planner_.leave_multicast();
  }
  return AgreedCall::MulticastNews{reaches_all, finding};
}

}  // namespace quadrille
