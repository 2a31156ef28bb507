// SPDX-License-Identifier: BSD-3-Clause
// What the prober says on its standard output: one JSON object a line, each of a `type`, flushed,
// so that whoever reads knows at once.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "network/model/model.h"
#include "network/model/model_difference.h"
#include "probe/measure/hosts/kernel_counters.h"

namespace quadrille::probe {

struct HostReport {
  std::string name;
  std::string settings;  // text in JSON; what is none is passed on as a string
  KernelCounters during_probe;
  KernelCounters during_mpi;
};

class ReportLines {
 public:
  explicit ReportLines(std::ostream& out) : out_(out) {}

  void progress(double share, std::string_view purpose);
  void host(const HostReport& report);
  void model(const NetworkModel& model);
  void check(const std::vector<Difference>& differences);
  void error(const Error& error);

 private:
  std::ostream& out_;
};

}  // namespace quadrille::probe
