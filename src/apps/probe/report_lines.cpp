// SPDX-License-Identifier: BSD-3-Clause
#include "apps/probe/report_lines.h"

#include <nlohmann/json.hpp>
#include <ostream>

namespace quadrille::probe {
namespace {

using nlohmann::json;

// Host names and the kernel's texts are not ours: bytes that are no UTF-8 are replaced.
std::string one_line(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

json parsed_or_text(const std::string& text) {
  json parsed = json::parse(text, nullptr, false);
  return parsed.is_discarded() ? json(text) : parsed;
}

}  // namespace

void ReportLines::progress(double share, std::string_view purpose) {
  out_ << one_line({{"type", "progress"}, {"share", share}, {"purpose", purpose}}) << std::flush;
}

void ReportLines::host(const HostReport& report) {
  const json counters{{"probe", json(report.during_probe)}, {"mpi", json(report.during_mpi)}};
  out_ << one_line({{"type", "host"},
                    {"name", report.name},
                    {"settings", parsed_or_text(report.settings)},
                    {"counters", counters}})
       << std::flush;
}

void ReportLines::model(const NetworkModel& model) {
  out_ << one_line({{"type", "model"}, {"model", json::parse(print_model(model))}}) << std::flush;
}

void ReportLines::check(const std::vector<Difference>& differences) {
  json list = json::array();
  for (const Difference& one : differences) {
    list.push_back({{"path", one.path},
                    {"expected", one.expected},
                    {"found", one.found},
                    {"text", one.text},
                    {"serious", one.serious}});
  }
  out_ << one_line({{"type", "check"}, {"differences", std::move(list)}}) << std::flush;
}

void ReportLines::error(const Error& error) {
  out_ << one_line({{"type", "error"}, {"kind", name_of(error.kind)}, {"text", error.message}})
       << std::flush;
}

}  // namespace quadrille::probe
