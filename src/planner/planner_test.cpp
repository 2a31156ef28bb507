// SPDX-License-Identifier: BSD-3-Clause
#include "planner/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "planner/cost/cost_networks.h"
#include "planner/plan_search.h"

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
  return {std::move(options), {TopologyView::flat(8), std::nullopt, {}}, 0};
}

TEST(Planner, every_row_names_parameters_and_algorithms_that_exist) {
  for (const Algorithm& algorithm : algorithms()) {
    const AlgorithmUse& use = algorithm.use;
    for (const TriedSizes& sizes : {use.tried, use.also_tried}) {
      EXPECT_TRUE(algorithm.parameters.with(sizes.parameters).ok()) << algorithm.name;
      EXPECT_TRUE(sizes.largest == 0 || sizes.smallest < sizes.largest) << algorithm.name;
    }
    EXPECT_TRUE(use.also_tried.empty() || !use.tried.empty()) << algorithm.name;
    EXPECT_TRUE(use.needs == Needs::nothing || !use.tried.empty()) << algorithm.name;
    if (use.instead_of.empty()) continue;
    EXPECT_NE(use.needs, Needs::nothing) << algorithm.name;
    const Algorithm* const other = algorithm_named(use.instead_of);
    ASSERT_NE(other, nullptr) << algorithm.name;
    EXPECT_EQ(other->collective, algorithm.collective) << algorithm.name;
  }
}

TEST(Planner, tries_what_no_model_knows_and_the_mpi_library_first) {
  Planner planner = planner_with({});
  const Decision& decision = planner.decision(alltoall(32768), true);
  ASSERT_GE(decision.candidates.size(), 2U);
  EXPECT_EQ(decision.candidates.front().algorithm, nullptr);
  EXPECT_FALSE(decision.trial.settled());
}

Shape small_sum(std::uint64_t doubles, Rank ranks = 8) {
  return {.collective = Collective::allreduce,
          .ranks = ranks,
          .count = doubles,
          .element_bytes = sizeof(double)};
}

// Two ranks a host, which share memory.
Planner planner_in_host_memory(const Planner::Terms& terms, PlannerOptions options = {}) {
  TopologyView view;
  view.host_of_rank = {0, 0, 1, 1, 2, 2, 3, 3};
  view.segment_of_host = {0, 0, 0, 0};
  Planner planner(std::move(options), {view, std::nullopt, {}}, 0);
  planner.begin(terms);
  return planner;
}

TEST(Planner, small_calls_are_tried_where_ranks_share_memory_and_only_there) {
  Planner with = planner_in_host_memory({.has_host_memory = true});
  const Shape barrier{.collective = Collective::barrier, .ranks = 8};
  const Decision& decision = with.decision(barrier, true);
  ASSERT_EQ(decision.candidates.size(), 2U);
  EXPECT_EQ(decision.candidates[1].name, "barrier_two_level");
  EXPECT_FALSE(decision.is_rehearsed);
  Planner without = planner_in_host_memory({.has_host_memory = false});
  EXPECT_STREQ(without.decision(barrier, true).reason, "too small to try");
}

TEST(Planner, what_rounds_is_rehearsed_by_all_ranks_and_its_verdict_holds_for_good) {
  Planner planner = planner_in_host_memory({.has_host_memory = true, .is_of_all = true});
  Decision& decision = planner.decision(small_sum(1), false);
  ASSERT_TRUE(decision.is_rehearsed);
  ASSERT_EQ(decision.candidates.size(), 2U);
  decision.trial.adopt(1, true);
  planner.end_rehearsal(decision, Collective::allreduce, Bytes{8});
  for (int call = 0; call < 5000; ++call) decision.trial.begin_call();
  EXPECT_TRUE(decision.trial.settled());
  EXPECT_EQ(decision.candidates[decision.trial.candidate()].name, "allreduce_two_level");
  EXPECT_EQ(planner.reductions().is_won(Collective::allreduce, Bytes{8}), true);
  EXPECT_EQ(planner.reductions().is_won(Collective::reduce, Bytes{8}), std::nullopt);
}

TEST(Planner, communicators_of_fewer_ranks_go_by_what_all_have_rehearsed) {
  KnownReductions known;
  known.add(Collective::allreduce, Bytes{8}, true);
  known.add(Collective::allreduce, Bytes{1024}, false);
  Planner planner = planner_in_host_memory({.has_host_memory = true, .reductions = known});
  const Decision& won = planner.decision(small_sum(1), false);
  EXPECT_TRUE(won.trial.settled());
  EXPECT_EQ(won.candidates[won.trial.candidate()].name, "allreduce_two_level");
  EXPECT_EQ(planner.decision(small_sum(128), false).candidates.size(), 1U);
  const Decision& unknown = planner.decision(small_sum(4), false);
  EXPECT_TRUE(unknown.trial.settled());
  EXPECT_EQ(unknown.candidates[unknown.trial.candidate()].algorithm, nullptr);
}

TEST(Planner, what_the_model_is_sure_of_needs_no_rehearsal) {
  const NetworkModel model = two_switches(4, 1e7, 1e6);
  const std::vector<std::uint32_t> host_of_rank{0, 0, 1, 1, 2, 2, 3, 3};
  const KnownNetwork network = known_network(
      model, view_of(model, {"h0", "h1", "h2", "h3"}, host_of_rank).value(), host_of_rank);
  Planner planner({}, network, 0);
  const Shape sum = small_sum(512);
  const Decision& without = planner.decision(sum, false);
  ASSERT_STREQ(without.reason, "by the model");
  Planner with({}, network, 0);
  with.begin({.has_host_memory = true, .is_of_all = true});
  EXPECT_STREQ(with.decision(sum, false).reason, "by the model");
  EXPECT_TRUE(with.decision(small_sum(1), false).is_rehearsed) << "too small for the model";
}

TEST(Planner, a_programs_own_operation_does_not_go_through_host_memory) {
  Planner planner = planner_in_host_memory({.has_host_memory = true, .is_of_all = true});
  Shape own = small_sum(1);
  own.is_builtin = false;
  EXPECT_FALSE(planner.decision(own, false).is_rehearsed);
}

// As from a job to a later one.
void pass_on(const Verdicts& found, Verdicts& known) {
  known.read(found.joined_with("", std::time(nullptr)), std::time(nullptr));
}

TEST(Planner, what_another_job_has_found_holds_from_the_first_call_on) {
  Verdicts found;
  Planner first = planner_with({.forced = {}, .verdicts = &found});
  Decision& tried = first.decision(alltoall(32768), true);
  ASSERT_GE(tried.candidates.size(), 2U);
  const std::string ours = tried.candidates[1].name;
  tried.trial.adopt(1, true);
  first.keep_verdict(tried);
  Verdicts known;
  pass_on(found, known);
  Planner second = planner_with({.forced = {}, .verdicts = &known});
  Decision& decision = second.decision(alltoall(32768), true);
  ASSERT_TRUE(decision.trial.settled());
  EXPECT_EQ(decision.candidates[decision.trial.candidate()].name, ours);
  EXPECT_FALSE(second.decision(alltoall(2048), true).trial.settled()) << "another class";
  // It is looked at again.
  std::size_t calls = 0;
  for (; decision.trial.settled() && calls < 2000; ++calls) decision.trial.begin_call();
  EXPECT_LT(calls, 2000U);
  EXPECT_EQ(decision.trial.in_stage(), (std::vector<std::uint32_t>{0, 1}));
}

TEST(Planner, a_verdict_for_the_mpi_library_keeps_its_rival_for_the_next_final) {
  Verdicts found;
  Planner first = planner_with({.forced = {}, .verdicts = &found});
  Decision& tried = first.decision(alltoall(32768), true);
  tried.trial.adopt(1, false);
  first.keep_verdict(tried);
  Verdicts known;
  pass_on(found, known);
  Planner second = planner_with({.forced = {}, .verdicts = &known});
  const Decision& decision = second.decision(alltoall(32768), true);
  ASSERT_TRUE(decision.trial.settled());
  EXPECT_EQ(decision.trial.candidate(), 0U);
  EXPECT_EQ(decision.trial.in_stage(), (std::vector<std::uint32_t>{0, 1}));
}

TEST(Planner, what_is_no_candidate_any_more_is_tried_anew) {
  Verdicts found;
  Planner first = planner_with({.forced = {}, .verdicts = &found});
  Decision& tried = first.decision(alltoall(32768), true);
  tried.trial.adopt(1, true);
  tried.candidates[1].name = "alltoall_of_an_older_version";
  first.keep_verdict(tried);
  Verdicts known;
  pass_on(found, known);
  Planner second = planner_with({.forced = {}, .verdicts = &known});
  EXPECT_FALSE(second.decision(alltoall(32768), true).trial.settled());
}

std::vector<std::string> names_tried(const Decision& decision) {
  std::vector<std::string> names;
  for (const Candidate& candidate : decision.candidates) names.push_back(candidate.name);
  return names;
}

TEST(Planner, where_there_is_a_wire_what_it_grants_is_tried_instead_of_what_messages_pace) {
  TopologyView view = TopologyView::flat(8);
  view.has_wire = true;
  Planner planner({}, {view, std::nullopt, {}}, 0);
  EXPECT_EQ(names_tried(planner.decision(alltoall(32768), true)),
            (std::vector<std::string>{"mpi", "alltoall_granted"}));
  const Shape gather_of_any = {.collective = Collective::gatherv, .ranks = 8};
  EXPECT_EQ(names_tried(planner.decision(gather_of_any, true, {8192})),
            (std::vector<std::string>{"mpi", "gatherv_granted"}));
  view.host_of_rank = {0, 0, 1, 2, 3, 4, 5, 6};
  view.segment_of_host.resize(7);
  Planner shared({}, {view, std::nullopt, {}}, 0);
  EXPECT_EQ(names_tried(shared.decision(alltoall(32768), true)),
            (std::vector<std::string>{"mpi", "alltoall_granted", "alltoall_gathered"}));
  const Shape exchange_of_any = {.collective = Collective::alltoallv, .ranks = 8};
  EXPECT_EQ(names_tried(shared.decision(exchange_of_any, true, {8192})),
            (std::vector<std::string>{"mpi", "alltoallv_granted",
                                      "alltoallv_gathered:gathered_bytes=65536"}));
  EXPECT_EQ(names_tried(planner.decision(exchange_of_any, true, {8192})),
            (std::vector<std::string>{"mpi", "alltoallv_granted"}));
  EXPECT_EQ(names_tried(shared.decision(exchange_of_any, true, {1U << 20U})),
            (std::vector<std::string>{"mpi", "alltoallv_granted"}));
  Planner without({}, {TopologyView::flat(8), std::nullopt, {}}, 0);
  for (const std::string& name : names_tried(without.decision(alltoall(32768), true)))
    EXPECT_EQ(name.find("granted"), std::string::npos);
}

TEST(Planner, multicast_is_tried_where_it_reaches_all_and_for_sums_on_buses_alone) {
  const Shape sum = {
      .collective = Collective::allreduce, .ranks = 8, .count = 8192, .element_bytes = 4};
  const Shape message = {.collective = Collective::bcast, .ranks = 8, .count = 32768};
  TopologyView view = TopologyView::flat(8);
  const auto tried = [&](const Shape& shape, const char* name) {
    Planner planner({}, {view, std::nullopt, {}}, 0);
    return std::ranges::any_of(names_tried(planner.decision(shape, true)),
                               [&](const std::string& one) { return one.starts_with(name); });
  };
  EXPECT_FALSE(tried(message, "bcast_multicast"));
  view.has_wire = view.has_multicast = true;
  EXPECT_TRUE(tried(message, "bcast_multicast"));
  EXPECT_FALSE(tried(message, "bcast_chain")) << "it pipelines what multicast sends once";
  EXPECT_FALSE(tried(sum, "allreduce_multicast"));
  view.kind_of_segment = {SegmentKind::bus};
  EXPECT_TRUE(tried(sum, "allreduce_multicast"));
}

TEST(Planner, without_multicast_any_more_decides_anew_what_counted_on_it) {
  const Shape message = {.collective = Collective::bcast, .ranks = 8, .count = 32768};
  TopologyView view = TopologyView::flat(8);
  view.has_wire = view.has_multicast = true;
  Planner planner({}, {view, std::nullopt, {}}, 0);
  const auto by_multicast = [&] {
    return std::ranges::count_if(
        planner.decision(message, true).candidates,
        [&](const Candidate& candidate) { return planner.uses_multicast(candidate); });
  };
  EXPECT_EQ(by_multicast(), 1);
  const auto other = names_tried(planner.decision(alltoall(32768), true));
  planner.leave_multicast();
  EXPECT_EQ(by_multicast(), 0);
  EXPECT_FALSE(planner.view().has_multicast);
  const auto tried = names_tried(planner.decision(message, true));
  EXPECT_GE(tried.size(), 2U);
  EXPECT_EQ(std::ranges::count(tried, "bcast_multicast"), 0);
  EXPECT_EQ(names_tried(planner.decision(alltoall(32768), true)), other);
}

TEST(Planner, decides_as_at_first_when_multicast_is_back) {
  const Shape message = {.collective = Collective::bcast, .ranks = 8, .count = 32768};
  TopologyView view = TopologyView::flat(8);
  view.has_wire = view.has_multicast = true;
  Planner planner({}, {view, std::nullopt, {}}, 0);
  const auto first = names_tried(planner.decision(message, true));
  const auto other = names_tried(planner.decision(alltoall(32768), true));
  planner.leave_multicast();
  EXPECT_NE(names_tried(planner.decision(message, true)), first);
  planner.return_to_multicast();
  EXPECT_TRUE(planner.view().has_multicast);
  EXPECT_EQ(names_tried(planner.decision(message, true)), first);
  EXPECT_EQ(names_tried(planner.decision(alltoall(32768), true)), other);
}

// Whose hosts have multicast.
Planner of_four_ranks_that_are_told(const char* forced) {
  TopologyView view = TopologyView::flat(4);
  view.has_wire = view.has_multicast = true;
  PlannerOptions options;
  options.forced = parse_forced_choice(forced).value();
  return {options, {view, std::nullopt, {}}, 0};
}

TEST(Planner, schedules_of_a_forced_algorithm_go_without_multicast_that_has_stopped) {
  Planner planner = of_four_ranks_that_are_told("bcast:multicast");
  const Shape message = {.collective = Collective::bcast, .ranks = 4, .count = 32768};
  const auto over_wire = [&] {
    return planner.schedule(message, planner.decision(message, true).candidates.front())
        ->schedule()
        .over_wire;
  };
  EXPECT_TRUE(over_wire());
  planner.leave_multicast();
  EXPECT_FALSE(over_wire());
}

TEST(Planner, schedules_of_uneven_blocks_go_without_multicast_that_has_stopped) {
  Planner planner = of_four_ranks_that_are_told("allgatherv:multicast");
  const Shape shape = {.collective = Collective::allgatherv, .ranks = 4, .count = 65536};
  const StoredCounts counts{StoredBlocks::in_a_row({10000}),
                            StoredBlocks::in_a_row({10000, 20000, 0, 35536})};
  const auto over_wire = [&] {
    return planner.schedule(shape, planner.decision(shape, true).candidates.front(), counts)
        ->schedule()
        .over_wire;
  };
  EXPECT_TRUE(over_wire());
  planner.leave_multicast();
  EXPECT_FALSE(over_wire());
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
  const SharedSchedule first = planner.schedule(alltoall(1024), candidate);
  EXPECT_NE(planner.schedule(alltoall(1025), candidate), first);
  EXPECT_EQ(planner.schedule(alltoall(1024), candidate), first);
}

Planner planner_on(const NetworkModel& model, PlannerOptions options,
                   std::vector<LibraryCost> library = {}) {
  KnownNetwork network = known_to_every_host(model);
  network.library = std::move(library);
  return {std::move(options), std::move(network), 0};
}

Shape allreduce(std::uint64_t count) {
  return {.collective = Collective::allreduce, .ranks = 8, .count = count, .element_bytes = 8};
}

TEST(Planner, by_a_model_the_cheapest_of_ours_meets_the_library) {
  Planner planner = planner_on(three_buses(), {});
  Shape shape{.collective = Collective::bcast, .ranks = 8, .count = 16'000};
  const Decision& decision = planner.decision(shape, true);
  ASSERT_EQ(decision.candidates.size(), 3U);
  EXPECT_EQ(decision.candidates[0].algorithm, nullptr);
  EXPECT_EQ(decision.candidates[1].algorithm, algorithm_named("bcast_hierarchical"));
  EXPECT_LE(decision.predicted[1], decision.predicted[2]);
  // Each byte crosses each bus three times, at 12.8 ms.
  EXPECT_GE(decision.predicted[1].value, 38'400'000);
  EXPECT_LE(decision.predicted[1].value, 48'000'000);
}

TEST(Planner, blocks_that_differ_are_tried_with_a_model_and_without) {
  const auto entrants = [](Planner planner, Collective collective, std::uint64_t bytes,
                           bool may_alternate) {
    const Shape shape{.collective = collective, .ranks = 8};
    return planner.decision(shape, may_alternate, {bytes}).candidates.size();
  };
  for (const bool known : {true, false}) {
    const auto planner = [&] { return known ? planner_on(three_buses(), {}) : planner_with({}); };
    EXPECT_EQ(entrants(planner(), Collective::alltoallv, 8'192, true), 2U);
    EXPECT_EQ(entrants(planner(), Collective::alltoallv, 16, true), 1U);
    EXPECT_EQ(entrants(planner(), Collective::allgatherv, 16'000, true), 2U);
    EXPECT_EQ(entrants(planner(), Collective::reduce_scatter, 100'000, true), 3U);
    EXPECT_EQ(entrants(planner(), Collective::reduce_scatter, 100'000, false), 1U);
    EXPECT_EQ(entrants(planner(), Collective::gatherv, 100'000, true), 2U);
    EXPECT_EQ(entrants(planner(), Collective::gatherv, 2'000, true), 1U);
    EXPECT_EQ(entrants(planner(), Collective::scatterv, 100'000, true), 1U);
  }
}

TEST(Planner, sizes_that_a_shape_does_not_tell_are_decided_apart) {
  Planner planner = planner_with({});
  const Shape shape{.collective = Collective::alltoallv, .ranks = 8};
  EXPECT_NE(&planner.decision(shape, true, {8'192}), &planner.decision(shape, true, {65'536}));
  EXPECT_EQ(&planner.decision(shape, true, {8'192}), &planner.decision(shape, true, {8'200}));
}

TEST(Planner, a_size_is_asked_for_only_where_it_may_make_a_difference) {
  const Shape shape{.collective = Collective::alltoallv, .ranks = 8};
  EXPECT_TRUE(planner_with({}).depends_on_size(shape));
  PlannerOptions untried;
  untried.trial_rounds = 0;
  EXPECT_FALSE(planner_with(untried).depends_on_size(shape));
  PlannerOptions forced;
  forced.forced = parse_forced_choice("alltoallv:mpi").value();
  EXPECT_FALSE(planner_with(forced).depends_on_size(shape));
  EXPECT_FALSE(planner_with({}).depends_on_size({.collective = Collective::alltoallv, .ranks = 2}));
  EXPECT_TRUE(planner_with({}).depends_on_size({.collective = Collective::gatherv, .ranks = 8}));
  EXPECT_FALSE(planner_with({}).depends_on_size({.collective = Collective::scatterv, .ranks = 8}))
      << "nothing is tried of it";
}

TEST(Planner, a_sum_of_floats_is_replaced_only_where_costs_alone_say_so) {
  Planner guessed = planner_on(three_buses(), {});
  const Decision& decision = guessed.decision(allreduce(2'000), false);
  ASSERT_EQ(decision.candidates.size(), 1U);
  EXPECT_EQ(decision.candidates[0].algorithm, algorithm_named("allreduce_hierarchical"));
  EXPECT_TRUE(decision.trial.settled());
  const LibraryCost fast{Collective::allreduce, {16'000}, 8, {decision.predicted[0].value}};
  Planner told = planner_on(three_buses(), {}, {fast});
  EXPECT_EQ(told.decision(allreduce(2'000), false).candidates[0].algorithm, nullptr);
}

TEST(Planner, on_one_switch_a_sum_of_floats_is_left_to_the_library) {
  Planner planner = planner_on(one_switch(8, 1e9), {});
  EXPECT_EQ(planner.decision(allreduce(2'000), false).candidates[0].algorithm, nullptr);
}

TEST(Planner, small_calls_are_tried_only_where_much_time_is_predicted_to_be_saved) {
  const Shape small{.collective = Collective::allgather, .ranks = 8, .count = 600};
  const auto entrants = [&](const NetworkModel& model, std::vector<LibraryCost> library) {
    KnownNetwork network = known_to_every_host(model);
    network.view.has_wire = network.view.has_multicast = true;
    network.library = std::move(library);
    return Planner({}, std::move(network), 0).decision(small, true).candidates.size();
  };
  EXPECT_GT(entrants(three_buses(), {}), 1U);
  EXPECT_EQ(entrants(three_buses(), {{Collective::allgather, {600}, 8, {1'000'000}}}), 1U);
  EXPECT_EQ(entrants(one_switch(8, 1e9), {}), 1U);
}

TEST(Planner, roots_of_different_segments_are_decided_apart) {
  Planner planner = planner_on(three_buses(), {});
  const auto from = [](Rank root) {
    return Shape{.collective = Collective::bcast, .ranks = 8, .root = root, .count = 16'000};
  };
  EXPECT_NE(&planner.decision(from(0), true), &planner.decision(from(1), true));
  EXPECT_EQ(&planner.decision(from(0), true), &planner.decision(from(3), true));
}

TEST(LibraryCost, lies_between_what_was_measured) {
  const std::vector<LibraryCost> measured{{Collective::bcast, {1'000}, 8, {2'000}},
                                          {Collective::bcast, {3'000}, 8, {4'000}}};
  const auto at = [&](std::uint64_t bytes, Rank ranks = 8) {
    return measured_library_time(measured,
                                 {.collective = Collective::bcast, .ranks = ranks, .count = bytes});
  };
  EXPECT_EQ(at(10)->value, 2'000);
  EXPECT_EQ(at(1'000)->value, 2'000);
  EXPECT_EQ(at(2'000)->value, 3'000);
  EXPECT_EQ(at(6'000)->value, 8'000);
  EXPECT_FALSE(at(2'000, 4));
}

TEST(PlanSearch, every_row_names_an_algorithm_and_values_that_its_parameters_may_take) {
  for (const Algorithm& algorithm : algorithms()) {
    if (has_counts(algorithm.collective)) continue;  // a shape does not tell what they cost
    const Shape shape{.collective = algorithm.collective,
                      .ranks = 6,
                      .count = algorithm.collective == Collective::barrier ? 0U : 3'000U};
    const KnownNetwork network = known_to_every_host(two_switches(6, 1e8, 1e8));
    const auto found = cost_candidates(shape, network.view, *network.costs);
    EXPECT_FALSE(found.empty()) << algorithm.name;
    EXPECT_TRUE(std::ranges::is_sorted(found, {},
                                       [](const CostedCandidate& one) { return one.cost.total; }));
  }
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
