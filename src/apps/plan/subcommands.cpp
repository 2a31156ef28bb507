// SPDX-License-Identifier: BSD-3-Clause
#include "apps/plan/subcommands.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>

namespace quadrille::plan {
namespace {

constexpr Rank kMostRanks = 65536;

}  // namespace

Subcommands::Subcommands(CLI::App& app)
    : choose_(app.add_subcommand("choose", "which plan is chosen for one call and why, as JSON")),
      table_(app.add_subcommand("table", "what is chosen over sizes and ranks, as JSON lines")) {
  add_network(*choose_);
  add_network(*table_);
  choose_->add_option("--collective", request_.collective, "bcast, alltoall, ...")->required();
  choose_
      ->add_option("--bytes", request_.bytes,
                   "whole vector; of allgather, gather, scatter and reduce_scatter_block a rank's "
                   "block, of alltoall a pair's block")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40));
  choose_->add_option("--root", request_.root, "of bcast, reduce, gather and scatter")
      ->capture_default_str();
  choose_
      ->add_option("--element-bytes", request_.element_bytes,
                   "of what is reduced; not given: 8, 4 or 1, whichever divides the bytes")
      ->check(CLI::Range(1U, 1U << 20));
  choose_->add_option("--force", request_.forced,
                      "explain this one: ALGORITHM[:NAME=VALUE...], as in QUADRILLE_ALGORITHM");
  choose_->add_option("--rank", request_.steps_of, "write this rank's schedule too");
  choose_->add_flag("--timeline", request_.timeline, "write the time of each step too");
}

void Subcommands::add_network(CLI::App& command) {
  command.add_option("--model", request_.model, "network model, see `quadrille probe`")->required();
  Placement& placement = request_.placement;
  command.add_option("--ranks", placement.ranks, "not given: all that the hosts hold")
      ->check(CLI::Range(1, kMostRanks));
  command
      .add_option("--ranks-per-host", placement.ranks_per_host,
                  "a host is filled before the next one")
      ->check(CLI::Range(1, kMostRanks))
      ->capture_default_str();
  command.add_flag("--multicast,!--no-multicast", placement.multicast,
                   "use it where the model says that it reaches all hosts (default)");
  command.add_option("--hosts", placement.hosts, "in this order; not given: all of the model")
      ->delimiter(',');
}

Result<bool> Subcommands::run(std::ostream& out) const {
  if (table_->parsed()) {
    const auto written = write_table({request_.model, request_.placement}, [&](const auto& cell) {
      out << cell.dump() << '\n' << std::flush;
    });
    return written.ok() ? Result<bool>(true) : written.error();
  }
  const auto told = choose(request_);
  if (!told.ok()) return told.error();
  out << told.value().dump() << '\n';
  return true;
}

}  // namespace quadrille::plan
