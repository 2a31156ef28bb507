// SPDX-License-Identifier: BSD-3-Clause
// quadrille-plan: lists the algorithms, writes out their schedules, checks them; with a network
// model, says which is chosen and why (apps/plan).
// Exit codes: 0 done, 1 what was asked for failed, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/document.h"
#include "apps/exit_codes.h"
#include "apps/parse_options.h"
#include "apps/plan/subcommands.h"
#include "schedule/block_lengths.h"
#include "schedule/check/check.h"
#include "schedule/dump.h"

namespace quadrille {
namespace {

// One call and the algorithm for it, as the command line names them.
struct PlanRequest {
  std::string collective;
  std::string algorithm;
  std::string parameters;
  Rank ranks = 8;
  Rank root = 0;
  std::uint64_t bytes = 1024;
  std::uint32_t element_bytes = 1;
  bool in_place = false;
  bool not_commutative = false;

  void add_to(CLI::App& command) {
    command.add_option("--collective", collective, "barrier, bcast, reduce, allreduce, ...");
    command.add_option("--algorithm", algorithm, "see `quadrille-plan list`");
    command.add_option("--parameters", parameters, "such as partners=2:window=1");
    command.add_option("--ranks", ranks, "number of ranks")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
    command.add_option("--root", root, "root of bcast, reduce, gather and scatter")
        ->capture_default_str();
    command
        .add_option("--bytes", bytes,
                    "whole vector; of allgather, gather, scatter and reduce_scatter_block a rank's "
                    "block, of alltoall a pair's block, of vector collectives the longest of "
                    "unequal blocks")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40))
        ->capture_default_str();
    command.add_option("--element-bytes", element_bytes, "size of what is reduced")
        ->check(CLI::Range(1U, 1U << 20))
        ->capture_default_str();
    command.add_flag("--in-place", in_place, "the contribution lies in the receive buffer");
    command.add_flag("--not-commutative", not_commutative, "the operation does not commute");
  }

  // What is wrong with it, or nothing.
  std::string problem() const {
    if (algorithm.empty() && collective.empty()) return "name a --collective or an --algorithm";
    const Algorithm* named = algorithm_named(algorithm);
    if (!algorithm.empty() && named == nullptr) {
      return "there is no algorithm '" + algorithm + "'; see `quadrille-plan list`";
    }
    if (!collective.empty()) {
      const auto asked = collective_named(collective);
      if (!asked) return "there is no collective '" + collective + "'; see `quadrille-plan list`";
      if (named != nullptr && named->collective != *asked) {
        return "'" + algorithm + "' is one of " + name_of(named->collective) + ", not of " +
               collective;
      }
    }
    if (root < 0 || root >= ranks) {
      return "root " + std::to_string(root) + " is none of " + std::to_string(ranks) + " ranks";
    }
    if (bytes % element_bytes != 0) {
      return std::to_string(bytes) + " bytes are no whole number of elements of " +
             std::to_string(element_bytes) + " bytes";
    }
    return "";
  }

  // Of a vector collective.
  BlockLengths block_lengths() const {
    return [longest = bytes / element_bytes](Rank source, Rank target) {
      return uneven_length(longest, source, target);
    };
  }

  Shape shape(Collective of) const {
    const Shape shape{.collective = of,
                      .ranks = ranks,
                      .root = is_rooted(of) ? root : 0,
                      .count = of == Collective::barrier ? 0 : bytes / element_bytes,
                      .element_bytes = element_bytes,
                      .commutative = !not_commutative,
                      .in_place = in_place};
    return has_counts(of) ? shape_with(shape, block_lengths()) : shape;
  }

  // What each rank knows of a vector collective's blocks; empty for other calls.
  std::vector<StoredCounts> counts(const Shape& shape) const {
    std::vector<StoredCounts> result;
    for (Rank rank = 0; has_counts(shape.collective) && rank < ranks; ++rank) {
      result.push_back(counts_of(shape, rank, block_lengths()));
    }
    return result;
  }

  // The algorithm named, or all of the collective.
  std::vector<const Algorithm*> candidates() const {
    std::vector<const Algorithm*> result;
    for (const Algorithm& one : algorithms()) {
      const bool is_asked =
          algorithm.empty() ? name_of(one.collective) == collective : one.name == algorithm;
      if (is_asked) result.push_back(&one);
    }
    return result;
  }
};

int complain(const std::string& problem, int exit_code) {
  std::cerr << "quadrille-plan: " << problem << '\n';
  return exit_code;
}

std::vector<LocalCounts> views_of(const std::vector<StoredCounts>& stored) {
  std::vector<LocalCounts> views;
  views.reserve(stored.size());
  for (const StoredCounts& one : stored) views.push_back(one.view());
  return views;
}

std::vector<Schedule> generate(const Algorithm& algorithm, const Shape& shape,
                               const Parameters& parameters, std::span<const LocalCounts> counts) {
  const TopologyView view = TopologyView::flat(shape.ranks);
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(shape.ranks));
  for (Rank rank = 0; rank < shape.ranks; ++rank) {
    const LocalCounts known =
        counts.empty() ? LocalCounts{} : counts[static_cast<std::size_t>(rank)];
    schedules.push_back(algorithm.generate({shape, view, parameters, rank, known}));
  }
  return schedules;
}

int list_algorithms() {
  for (const Algorithm& algorithm : algorithms()) {
    std::cout << name_of(algorithm.collective) << ' ' << algorithm.name << ' '
              << algorithm.parameters.text() << '\n';
  }
  return exit_code::done;
}

int check_request(const PlanRequest& request) {
  if (const std::string problem = request.problem(); !problem.empty()) {
    return complain(problem, exit_code::wrong_usage);
  }
  bool all_correct = true;
  for (const Algorithm* algorithm : request.candidates()) {
    const Shape shape = request.shape(algorithm->collective);
    const Result<Parameters> parameters = algorithm->parameters.with(request.parameters);
    if (!parameters.ok()) return complain(parameters.error().message, exit_code::wrong_usage);
    std::cout << algorithm->name << ": ";
    if (!algorithm->supports(shape)) {
      std::cout << "does not support this call\n";
      all_correct = all_correct && request.algorithm.empty();
      continue;
    }
    const std::vector<StoredCounts> stored = request.counts(shape);
    const std::vector<LocalCounts> counts = views_of(stored);
    const std::vector<Schedule> schedules = generate(*algorithm, shape, parameters.value(), counts);
    const Findings findings = check(shape, schedules, counts);
    std::size_t steps = 0;
    for (const Schedule& schedule : schedules) steps += schedule.steps.size();
    std::cout << (findings.empty() ? "correct, " : "wrong, ") << steps << " steps on "
              << shape.ranks << " ranks\n";
    for (const Finding& finding : findings) std::cout << "  " << text_of(finding) << '\n';
    all_correct = all_correct && findings.empty();
  }
  return all_correct ? exit_code::done : exit_code::failed;
}

int dump_request(const PlanRequest& request) {
  if (const std::string problem = request.problem(); !problem.empty()) {
    return complain(problem, exit_code::wrong_usage);
  }
  if (request.algorithm.empty()) {
    return complain("name an --algorithm to dump", exit_code::wrong_usage);
  }
  const Algorithm& algorithm = *algorithm_named(request.algorithm);
  const Shape shape = request.shape(algorithm.collective);
  const Result<Parameters> parameters = algorithm.parameters.with(request.parameters);
  if (!parameters.ok()) return complain(parameters.error().message, exit_code::wrong_usage);
  if (!algorithm.supports(shape)) {
    return complain("'" + request.algorithm +
                        "' does not support this call; what it needs stands in "
                        "docs/algorithms.md",
                    exit_code::failed);
  }
  const std::vector<StoredCounts> stored = request.counts(shape);
  const std::vector<Schedule> schedules =
      generate(algorithm, shape, parameters.value(), views_of(stored));
  std::cout << dump(shape, algorithm.name, parameters.value().text(), schedules).dump(1) << '\n';
  return exit_code::done;
}

int document(const std::string& source_directory) {
  const Result<std::string> page = document_algorithms(source_directory);
  if (!page.ok()) return complain(page.error().message, exit_code::failed);
  std::cout << page.value();
  return exit_code::done;
}

int run(int argc, char** argv) {
  CLI::App app("Schedules of collective operations: list, check, write out.", "quadrille-plan");
  app.require_subcommand(1);
  PlanRequest request;
  std::string source_directory = "src/algorithms";
  auto* list = app.add_subcommand("list", "collective, name and parameters of each algorithm");
  auto* check = app.add_subcommand("check", "check the schedules of all ranks of one call");
  auto* dump = app.add_subcommand("dump", "write the schedules of all ranks of one call as JSON");
  auto* page = app.add_subcommand("document", "write docs/algorithms.md from the sources");
  request.add_to(*check);
  request.add_to(*dump);
  page->add_option("--sources", source_directory, "directory of the algorithms' files")
      ->capture_default_str();
  const plan::Subcommands by_model(app);
  if (const auto code = parse_options(app, argc, argv)) return *code;
  if (list->parsed()) return list_algorithms();
  if (check->parsed()) return check_request(request);
  if (dump->parsed()) return dump_request(request);
  if (by_model.parsed()) {
    const Result<bool> told = by_model.run(std::cout);
    if (told.ok()) return exit_code::done;
    return complain(told.error().message, told.error().kind == ErrorKind::invalid_argument
                                              ? exit_code::wrong_usage
                                              : exit_code::failed);
  }
  return document(source_directory);
}

}  // namespace
}  // namespace quadrille

int main(int argc, char** argv) {
  try {
    return quadrille::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "quadrille-plan: " << error.what() << '\n';
    return quadrille::exit_code::failed;
  }
}
