// SPDX-License-Identifier: BSD-3-Clause
#include "planner/agree/call_agreement.h"

#include <utility>

#include "planner/decision_text.h"

namespace quadrille {

CallAgreement::CallAgreement(Planner& planner, Finding finding, bool tells_stages)
    : planner_(planner), finding_(std::move(finding)), tells_stages_(tells_stages) {}

bool CallAgreement::needs_share(const Shape& shape) const {
  return needs_shared_size(shape.collective) && planner_.depends_on_size(shape);
}

Decision& CallAgreement::decision() { return planner_.decision(shape_, may_alternate_, size_); }

std::span<std::int64_t> CallAgreement::begin(const Shape& shape, bool may_alternate, Bytes share) {
  shape_ = shape;
  may_alternate_ = may_alternate;
  shared_ = needs_share(shape) ? &shared_sizes_[shape.collective] : nullptr;
  size_ = shared_ != nullptr ? shared_->agreed() : message_size(shape);
  decision_ = &decision();
  const Trial& trial = decision_->trial;
  values_.clear();

  // What is not tried makes no difference.
  const Bytes tried_share = share < planner_.options().trial_floor ? Bytes{0} : share;
  compares_sizes_ = shared_ != nullptr && shared_->is_due(tried_share, !trial.settled());
  if (compares_sizes_) {
    const auto [largest, time_beside] = shared_->to_compare();
    values_.push_back(static_cast<std::int64_t>(largest));
    values_.push_back(static_cast<std::int64_t>(time_beside));
  }

  const bool ends_stage = trial.samples_are_due();
  samples_ = ends_stage ? trial.samples().size() : 0;
  if (ends_stage) {
    values_.insert(values_.end(), trial.samples().begin(), trial.samples().end());
    values_.push_back(shared_ != nullptr && shared_->has_varied() ? 1 : 0);
  }

  const bool is_by_multicast =
      !ends_stage && planner_.uses_multicast(decision_->candidates[trial.candidate()]);
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
  if (samples_ > 0) {
    agreed.stage = judge(of_all.first(samples_ + 1));
    of_all = of_all.subspan(samples_ + 1);
  }
  if (asks_for_multicast_) agreed.multicast_news = take_multicast(of_all.front());

  if (shared_ != nullptr) size_ = shared_->agreed();
  if (!values_.empty()) decision_ = &decision();
  agreed.decision = decision_;
  agreed.size = size_;
  Trial& trial = decision_->trial;
  if (trial.samples_are_due()) {
    // Of another size than the one whose stage this call could have ended.
    agreed.chosen = &decision_->candidates.front();
    return agreed;
  }
  trial.begin_call();
  agreed.chosen = &decision_->candidates[trial.candidate()];
  agreed.is_sample = !trial.settled();
  return agreed;
}

// `longest`: of each of the stage's calls; last, whether some rank's share has varied.
std::string CallAgreement::judge(std::span<const std::int64_t> longest) {
  const bool some_share_varied = longest.back() != 0;
  longest = longest.first(longest.size() - 1);
  std::string told = tells_stages_ ? stage_line(shape_, size_, *decision_, longest) : std::string();
  Trial& trial = decision_->trial;
  if (shared_ != nullptr && shared_->end_stage(some_share_varied)) {
    trial.repeat_stage();
    return told;
  }
  trial.judge(longest);
  if (trial.settled()) decision_->reason = "tried";
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
