// SPDX-License-Identifier: BSD-3-Clause
// The checker against broken schedules: for up to 9 ranks, every mutant of every algorithm has to
// be noticed. It also shows that no algorithm contains a step or a dependency that it could do
// without.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/checked_case.h"
#include "algorithms/random_view.h"

namespace quadrille {
namespace {

// One rank's schedule in a form that is easy to change.
struct Draft {
  struct DraftStep {
    Step step;
    std::vector<StepIndex> after;
  };

  explicit Draft(const Schedule& schedule) : whole(schedule) {
    for (const Step& step : schedule.steps) {
      const auto after = schedule.dependencies_of(step);
      steps.push_back({step, {after.begin(), after.end()}});
    }
  }

  void drop(StepIndex index) {
    steps.erase(steps.begin() + index);
    for (DraftStep& one : steps) {
      std::erase(one.after, index);
      for (StepIndex& earlier : one.after) earlier -= earlier > index ? 1 : 0;
    }
  }

  Schedule build() const {
    Schedule result = whole;
    result.steps.clear();
    result.dependencies.clear();
    for (const DraftStep& one : steps) {
      Step step = one.step;
      step.first_dependency = static_cast<std::uint32_t>(result.dependencies.size());
      step.dependency_count = static_cast<std::uint32_t>(one.after.size());
      result.steps.push_back(step);
      result.dependencies.insert(result.dependencies.end(), one.after.begin(), one.after.end());
    }
    return result;
  }

  Schedule whole;
  std::vector<DraftStep> steps;
};

// Calls `visit` with every mutant of one call and with what was done to it.
class Mutants {
 public:
  using Visit = std::function<void(const std::vector<Schedule>&, const std::string&)>;
  Mutants(std::vector<Schedule> schedules, Visit visit)
      : schedules_(std::move(schedules)), visit_(std::move(visit)) {}

  void run() {
    for (std::size_t rank = 0; rank < schedules_.size(); ++rank) {
      for (StepIndex index = 0; index < schedules_[rank].steps.size(); ++index) {
        try_change(rank, index, "dropped", [&](Draft& draft) { draft.drop(index); });
        misaddress(rank, index);
        swap_regions(rank, index);
        shift_regions(rank, index);
        remove_dependencies(rank, index);
      }
    }
  }

 private:
  void try_change(std::size_t rank, StepIndex index, const std::string& what,
                  const std::function<void(Draft&)>& change) {
    Draft draft(schedules_[rank]);
    change(draft);
    const Schedule original = std::exchange(schedules_[rank], draft.build());
    visit_(schedules_, "rank " + std::to_string(rank) + " step " + std::to_string(index) + " (" +
                           text_of(original.steps[index]) + "): " + what);
    schedules_[rank] = original;
  }

  void misaddress(std::size_t rank, StepIndex index) {
    const Step step = schedules_[rank].steps[index];
    if (!has_peer(step.kind)) return;
    for (Rank peer = 0; peer < static_cast<Rank>(schedules_.size()); ++peer) {
      if (peer == step.peer) continue;
      try_change(rank, index, "with peer " + std::to_string(peer),
                 [&](Draft& draft) { draft.steps[index].step.peer = peer; });
    }
  }

  void swap_regions(std::size_t rank, StepIndex index) {
    const std::vector<Step> steps = schedules_[rank].steps;
    for (StepIndex other = index + 1; other < steps.size(); ++other) {
      const Step& a = steps[index];
      const Step& b = steps[other];
      const bool have_data = a.from.length + a.into.length > 0 && b.from.length + b.into.length > 0;
      if (a.kind != b.kind || !have_data) continue;
      if (a.from != b.from) {
        try_change(rank, index, "source swapped with step " + std::to_string(other),
                   [&](Draft& draft) {
                     std::swap(draft.steps[index].step.from, draft.steps[other].step.from);
                   });
      }
      if (a.into != b.into) {
        try_change(rank, index, "target swapped with step " + std::to_string(other),
                   [&](Draft& draft) {
                     std::swap(draft.steps[index].step.into, draft.steps[other].step.into);
                   });
      }
      if (a.from != b.from && a.into != b.into && !stand_alike(rank, index, other)) {
        try_change(rank, index, "regions swapped with step " + std::to_string(other),
                   [&](Draft& draft) {
                     std::swap(draft.steps[index].step.from, draft.steps[other].step.from);
                     std::swap(draft.steps[index].step.into, draft.steps[other].step.into);
                   });
      }
    }
  }

  // Whether two steps have the same dependencies and the same followers: with all their regions
  // swapped they are the same steps in another order.
  bool stand_alike(std::size_t rank, StepIndex a, StepIndex b) const {
    const Draft draft(schedules_[rank]);
    const auto depends = [](const Draft::DraftStep& step, StepIndex earlier) {
      return std::find(step.after.begin(), step.after.end(), earlier) != step.after.end();
    };
    return draft.steps[a].after == draft.steps[b].after &&
           std::all_of(draft.steps.begin(), draft.steps.end(), [&](const Draft::DraftStep& step) {
             return depends(step, a) == depends(step, b);
           });
  }

  void shift_regions(std::size_t rank, StepIndex index) {
    const Step step = schedules_[rank].steps[index];
    if (step.from.length > 0) {
      try_change(rank, index, "source shifted",
                 [&](Draft& draft) { ++draft.steps[index].step.from.offset; });
    }
    if (step.into.length > 0) {
      try_change(rank, index, "target shifted",
                 [&](Draft& draft) { ++draft.steps[index].step.into.offset; });
    }
  }

  void remove_dependencies(std::size_t rank, StepIndex index) {
    const Step step = schedules_[rank].steps[index];
    for (std::uint32_t i = 0; i < step.dependency_count; ++i) {
      try_change(rank, index, "dependency " + std::to_string(i) + " removed", [&](Draft& draft) {
        auto& after = draft.steps[index].after;
        after.erase(after.begin() + i);
      });
    }
  }

  std::vector<Schedule> schedules_;
  Visit visit_;
};

// Parameter values with few steps a rank, for their pairs are gone through.
std::vector<std::string> few_parameters(const Algorithm& algorithm) {
  const std::string defaults = algorithm.parameters.text();
  if (defaults.find("segment=") != std::string::npos && !goes_by_view(algorithm)) {
    if (defaults.find("kind=") == std::string::npos) return {"", "segment=12"};
    return {"", "segment=12", "kind=knomial:k=3:segment=12"};
  }
  std::vector<std::string> values = small_parameters(algorithm);
  values.resize(std::min<std::size_t>(values.size(), goes_by_view(algorithm) ? 3 : 4));
  return values;
}

// Whether a mutant differs from the original only in the order of operands, which is no fault where
// the operation commutes.
bool only_reorders(const CheckedCase& one, const std::vector<Schedule>& original,
                   const std::vector<Schedule>& mutant) {
  return is_reducing(one.shape.collective) && one.shape.commutative &&
         one.check_order(original).empty() && !one.check_order(mutant).empty();
}

class Mutation : public testing::TestWithParam<const Algorithm*> {};

TEST_P(Mutation, is_always_noticed) {
  const Algorithm& algorithm = *GetParam();
  std::size_t mutants = 0;
  std::uint32_t seed = 0;
  std::vector<std::string> unnoticed;
  for (Rank ranks = 2; ranks <= 9; ++ranks) {
    for (const std::uint64_t count : {1U, 13U}) {
      for (const Shape& shape : supported_shapes(algorithm, ranks, count)) {
        for (const std::string& parameters : few_parameters(algorithm)) {
          CheckedCase one{&algorithm, shape, parameters};
          if (goes_by_view(algorithm)) {
            one.view = RandomView(++seed).of_ranks(ranks);
            one.pattern = block_patterns(algorithm)[seed % block_patterns(algorithm).size()];
          }
          const std::vector<Schedule> original = one.generate();
          Mutants(original, [&](const auto& schedules, const std::string& what) {
            ++mutants;
            if (!one.check(schedules).empty()) return;
            if (only_reorders(one, original, schedules)) return;
            std::ostringstream text;
            text << one << ": " << what;
            unnoticed.push_back(text.str());
          }).run();
        }
      }
    }
  }
  EXPECT_GT(mutants, 100U);
  EXPECT_TRUE(unnoticed.empty()) << unnoticed.size() << " of " << mutants
                                 << " mutants went unnoticed, the first:\n"
                                 << unnoticed.front();
}

std::vector<const Algorithm*> every_algorithm() {
  std::vector<const Algorithm*> result;
  for (const Algorithm& algorithm : algorithms()) result.push_back(&algorithm);
  return result;
}

INSTANTIATE_TEST_SUITE_P(Every, Mutation, testing::ValuesIn(every_algorithm()),
                         [](const auto& info) { return std::string(info.param->name); });

}  // namespace
}  // namespace quadrille
