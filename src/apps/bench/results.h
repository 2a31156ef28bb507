// SPDX-License-Identifier: BSD-3-Clause
// The lines of a results file (schemas/results.json, docs/bench.md), as JSON. Pure: what goes in is
// plain data.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/bench/kernels/sort_size.h"
#include "apps/bench/machine.h"
#include "apps/bench/measurement.h"
#include "apps/bench/memory.h"
#include "apps/bench/network_file.h"
#include "apps/bench/options.h"

namespace quadrille::bench {

inline constexpr int kResultsSchema = 1;
// Keys keep the order in which they are written.
using Line = nlohmann::ordered_json;

struct RunFacts {
  std::string started{};           // UTC
  std::string mpi_library{};       // as MPI_Get_library_version prints it
  std::vector<Machine> machine{};  // [ranks]
  bool library_loaded = false;
  bool spins = false;  // ranks spin the last 60 us before an instant
  std::map<std::string, std::string> environment{};
  std::string network_source{};  // "lab", "model" or "file"; empty: rates unknown
  std::string network_path{};
  nlohmann::json network{};  // the file's contents; null without
};
Line run_line(const RunFacts& facts, const Options& options);

// Of parts of a parallel sort.
struct SortFacts {
  SortSize size{};
  bool constant_local_memory = false;
  std::uint64_t arrays_bytes = 0;  // both of a rank, as predicted
  MemoryUse grown{};               // during the point, largest of all ranks
};

struct PointFacts {
  std::string collective{};
  std::string bytes_meaning{};
  std::uint64_t bytes = 0;
  ElementType type = ElementType::byte;  // as carried
  std::vector<std::string> host_of_rank{};
  std::optional<int> root{};
  bool in_place = false;
  std::int64_t clock_uncertainty_ns = 0;  // largest of all ranks
  double clock_drift_ppm = 0;             // largest magnitude
  double seconds = 0;                     // wall time of the point, warm-up included
  std::optional<PointBound> bound{};
  std::optional<SortFacts> sort{};
};
Line point_line(const PointFacts& facts, const PointMeasurement& measured, const Options& options);

// Background calls go on from here.
Line ready_line();
Line end_line(std::int64_t points, std::int64_t wrong, double seconds);
Line progress_line(double done, std::size_t points, const std::string& label);

}  // namespace quadrille::bench
