// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of quadrille-plan that need a network model: `choose` and `table`.
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>

#include "apps/plan/choose.h"
#include "apps/plan/table.h"

namespace quadrille::plan {

class Subcommands {
 public:
  // Adds them to `app`, which holds references to this until it has parsed.
  explicit Subcommands(CLI::App& app);
  Subcommands(const Subcommands&) = delete;
  Subcommands& operator=(const Subcommands&) = delete;

  bool parsed() const { return choose_->parsed() || table_->parsed(); }
  // JSON to `out`. Errors of kind invalid_argument are wrong usage. REQUIRES: parsed().
  Result<bool> run(std::ostream& out) const;

 private:
  void add_network(CLI::App& command);

  CLI::App* choose_ = nullptr;
  CLI::App* table_ = nullptr;
  ChooseRequest request_;
};

}  // namespace quadrille::plan
