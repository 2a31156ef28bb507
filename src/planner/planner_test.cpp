// SPDX-License-Identifier: BSD-3-Clause
#include "planner/planner.h"

#include <gtest/gtest.h>

namespace quadrille {
namespace {

Shape alltoall(std::uint64_t bytes, Rank ranks = 8) {
  Shape shape;
  shape.collective = Collective::alltoall;
  shape.ranks = ranks;
  shape.count = bytes;
  return shape;
}

Planner planner_with(PlannerOptions options) {
  return {std::move(options), TopologyView::flat(8), 0};
}

TEST(Planner, every_candidate_of_the_table_exists_with_its_parameters){
#define CANDIDATE(collective_, algorithm_, parameters_, smallest_, largest_) \
  {                                                                          \
    const Algorithm* found = algorithm_named(#algorithm_);                   \
    ASSERT_NE(found, nullptr) << #algorithm_;                                \
    EXPECT_EQ(found->collective, Collective::collective_) << #algorithm_;    \
    EXPECT_TRUE(found->parameters.with(parameters_).ok()) << #algorithm_;    \
    EXPECT_LT(smallest_, largest_);                                          \
  }
#include "planner/candidates.def"
#undef CANDIDATE
}

TEST(Planner, tries_what_no_model_knows_and_the_mpi_library_first) {
  Planner planner = planner_with({});
  const Decision& decision = planner.decision(alltoall(32768), true);
  ASSERT_GE(decision.candidates.size(), 2U);
  EXPECT_EQ(decision.candidates.front().algorithm, nullptr);
  EXPECT_FALSE(decision.trial.settled());
}

TEST(Planner, leaves_calls_that_must_not_alternate_to_the_mpi_library) {
  Planner planner = planner_with({});
  const Decision& decision = planner.decision(alltoall(32768), false);
  EXPECT_EQ(decision.candidates.size(), 1U);
  EXPECT_TRUE(decision.trial.settled());
}

TEST(Planner, calls_of_one_size_class_share_a_decision) {
  Planner planner = planner_with({});
  EXPECT_EQ(&planner.decision(alltoall(32768), true), &planner.decision(alltoall(32769), true));
  EXPECT_NE(&planner.decision(alltoall(32768), true), &planner.decision(alltoall(65536), true));
}

TEST(Planner, a_forced_algorithm_is_taken_for_every_size) {
  PlannerOptions options;
  options.forced = parse_forced_choice("alltoall:pairwise").value();
  Planner planner = planner_with(options);
  const Decision& decision = planner.decision(alltoall(8), false);
  EXPECT_EQ(decision.candidates[decision.trial.candidate()].name, "alltoall_pairwise");
}

TEST(Planner, schedules_are_kept_by_exact_shape) {
  PlannerOptions options;
  options.forced = parse_forced_choice("alltoall:pairwise").value();
  Planner planner = planner_with(options);
  const Candidate& candidate = planner.decision(alltoall(1024), true).candidates[0];
  const PreparedSchedule* first = &planner.schedule(alltoall(1024), candidate);
  EXPECT_NE(&planner.schedule(alltoall(1025), candidate), first);
  EXPECT_EQ(&planner.schedule(alltoall(1024), candidate), first);
}

TEST(ForcedChoice, errors_name_the_entry_and_what_there_is) {
  const auto unknown = parse_forced_choice("bcast:nonsense");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("'bcast:nonsense'"), std::string::npos);
  EXPECT_NE(unknown.error().message.find("bcast_binomial"), std::string::npos);
  EXPECT_FALSE(parse_forced_choice("bcats:binomial").ok());
  EXPECT_FALSE(parse_forced_choice("alltoall:ordered:partner=3").ok());
}

TEST(ForcedChoice, parses_several_entries_and_the_mpi_library) {
  const auto forced = parse_forced_choice("bcast:mpi,alltoall:ordered:partners=3");
  ASSERT_TRUE(forced.ok());
  EXPECT_EQ(forced.value().at(Collective::bcast).algorithm, nullptr);
  EXPECT_EQ(forced.value().at(Collective::alltoall).parameters["partners"], 3);
}

}  // namespace
}  // namespace quadrille
