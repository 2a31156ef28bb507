// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 writes; a line is flushed as soon as it is known, so that an interrupt loses only the
// point in progress.
#include "apps/bench/mpi/runner.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "apps/bench/mpi/background.h"
#include "apps/bench/mpi/operations_neighbors.h"
#include "apps/bench/mpi/point.h"
#include "apps/bench/mpi/sort_points.h"
#include "apps/bench/mpi/world.h"
#include "apps/bench/network_file.h"
#include "apps/bench/results.h"
#include "apps/bench/waiting.h"
#include "apps/exit_codes.h"
#include "base/monotonic_clock.h"
#include "base/utc.h"

namespace quadrille::bench {
namespace {

constexpr int kFirstExchanges = 40;
constexpr int kLaterExchanges = 10;

class Lines {
 public:
  explicit Lines(const std::string& path) {
    if (!path.empty()) file_.open(path, std::ios::trunc);
  }
  // Whether everything so far was written.
  bool usable(const std::string& path) const { return path.empty() || file_.good(); }
  void write(const Line& line) {
    // Names of files and hosts are not ours: bytes that are no UTF-8 are replaced.
    (file_.is_open() ? static_cast<std::ostream&>(file_) : std::cout)
        << line.dump(-1, ' ', false, Line::error_handler_t::replace) << '\n'
        << std::flush;
  }
  void progress(double done, std::size_t points, const std::string& label) {
    const std::int64_t now = monotonic_now().value;
    if (file_.is_open() || now - latest_progress_ns_ < 200'000'000) return;
    latest_progress_ns_ = now;
    write(progress_line(done, points, label));
  }

 private:
  std::ofstream file_;
  std::int64_t latest_progress_ns_ = 0;
};

std::string label_of(const Operation& operation, std::uint64_t bytes, int ranks) {
  std::ostringstream label;
  label << operation.name << ", " << bytes << " B, " << ranks << " ranks";
  return label.str();
}

std::string mpi_library_version() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  return text.substr(0, text.find_first_of(std::string_view("\n\0", 2)));
}

struct PlannedPoint {
  const Operation* operation = nullptr;
  std::uint64_t bytes = 0;
  int ranks = 1;
  SortSize sort{};
};

// Of its own for each point: what was decided for calls of other points is not known there.
class CommunicatorCopy {
 public:
  CommunicatorCopy(MPI_Comm original, bool on_torus) {
    if (on_torus) {
      handle_ = torus_of(original);
    } else {
      MPI_Comm_dup(original, &handle_);
    }
  }
  CommunicatorCopy(const CommunicatorCopy&) = delete;
  CommunicatorCopy& operator=(const CommunicatorCopy&) = delete;
  ~CommunicatorCopy() { MPI_Comm_free(&handle_); }
  MPI_Comm handle() const { return handle_; }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

class Run {
 public:
  Run(const Options& options, World& world, Lines& lines)
      : options_(options), world_(world), lines_(lines) {
    spin_ = options.waiting == Waiting::spin ||
            (options.waiting == Waiting::automatic && world.cores_suffice_for_spinning());
    if (world.rank() == 0) network_ = read_network_file(options.network);
    if (!network_.complaint.empty()) {
      std::cerr << "quadrille-bench: " << network_.complaint << "; results will show no limits\n";
    }
  }

  void announce() {
    world_.align_clocks(kFirstExchanges);
    if (world_.rank() != 0) return;
    RunFacts facts{.started = utc_now(),
                   .mpi_library = mpi_library_version(),
                   .machine = world_.machines(),
                   .library_loaded = executions_.library_loaded(),
                   .spins = spin_,
                   .environment = quadrille_environment(),
                   .network_source = network_.source,
                   .network_path = network_.path,
                   .network = network_.contents};
    lines_.write(run_line(facts, options_));
  }

  // One point on every rank; those that are not part of it only wait.
  void point(const PlannedPoint& planned, std::size_t index, std::size_t points) {
    world_.align_clocks(kLaterExchanges);
    const Part& part = world_.part(planned.ranks);
    if (part.communicator != MPI_COMM_NULL) measure(planned, part, index, points);
    world_.gather_all();
  }

  std::int64_t wrong() const { return wrong_; }

 private:
  void measure(const PlannedPoint& planned, const Part& part, std::size_t index,
               std::size_t points) {
    const Operation& operation = *planned.operation;
    const std::uint64_t bytes = planned.bytes;
    const std::int64_t start_ns = monotonic_now().value;
    const CommunicatorCopy communicator(part.communicator, operation.on_torus);
    const MemoryUse before = memory_use();
    Call call = make_call(operation,
                          {bytes, options_.type, options_.root, options_.in_place,
                           options_.computing_scale, planned.sort},
                          communicator.handle());
    Sampler sampler(operation, call, *part.rendezvous, world_.clock(), executions_, options_,
                    spin_);
    const std::string label = label_of(operation, bytes, part.ranks);
    if (options_.background != Background::none) {
      run_background(sampler, options_, [&] { lines_.write(ready_line()); });
      wrong_ += sampler.wrong();
      return;
    }
    const auto measured = measure_point(sampler, options_, [&](double share) {
      lines_.progress(static_cast<double>(index) + share, points, label);
    });
    std::optional<SortFacts> sort;
    if (operation.is_of_sort()) {
      sort = SortFacts{.size = planned.sort,
                       .constant_local_memory = options_.constant_local_memory,
                       .arrays_bytes = arrays_bytes(operation, planned.sort),
                       .grown = largest_growth(before, part.communicator)};
    }
    if (world_.rank() != 0) return;
    wrong_ += measured.wrong;
    PointFacts facts{.collective = operation.name,
                     .bytes_meaning = operation.bytes_meaning,
                     .bytes = bytes,
                     .type = call.type,
                     .host_of_rank = {},
                     .root = {},
                     .in_place = call.in_place,
                     .clock_uncertainty_ns = world_.clock_uncertainty_ns(),
                     .clock_drift_ppm = world_.clock_drift_ppm(),
                     .seconds = static_cast<double>(monotonic_now().value - start_ns) * 1e-9,
                     .bound = {},
                     .sort = sort};
    for (int rank = 0; rank < part.ranks; ++rank) {
      facts.host_of_rank.push_back(world_.machines()[static_cast<std::size_t>(rank)].host);
    }
    if (operation.receipt != Receipt::unrooted) facts.root = options_.root;
    facts.bound = bound_of(network_, operation.is_of_sort() ? "alltoall" : facts.collective, bytes,
                           facts.root.value_or(0), facts.host_of_rank,
                           block_bytes_of(operation, call.count, size_of(call.type), part.ranks));
    lines_.write(point_line(facts, measured, options_));
  }

  const Options& options_;
  World& world_;
  Lines& lines_;
  ExecutionSource executions_;
  NetworkFile network_;
  bool spin_ = false;
  std::int64_t wrong_ = 0;
};

// Numbers of ranks to use, or the reason why the options do not fit the world.
Result<std::vector<int>> parts_for(const Options& options, int world_ranks) {
  std::vector<int> parts = options.ranks.empty() ? std::vector<int>{world_ranks} : options.ranks;
  for (const int ranks : parts) {
    if (ranks > world_ranks) {
      return Error{ErrorKind::invalid_argument, "--ranks " + std::to_string(ranks) +
                                                    ": the job has " + std::to_string(world_ranks) +
                                                    " ranks; start more with -n"};
    }
    if (options.root >= ranks) {
      return Error{ErrorKind::invalid_argument, "--root " + std::to_string(options.root) +
                                                    ": there are only " + std::to_string(ranks) +
                                                    " ranks; name a lower one"};
    }
  }
  return parts;
}

// What is to be measured, in this order, or why a sort cannot be.
Result<std::vector<PlannedPoint>> planned_points(const Options& options,
                                                 const std::vector<int>& parts,
                                                 const World& world) {
  std::vector<PlannedPoint> points;
  for (const auto& name : options.collectives) {
    const Operation& operation = *operation_named(name);
    for (const int ranks : parts) {
      if (operation.is_of_sort()) {
        const auto size = sort_size_on(options, world, ranks);
        if (!size.ok()) return size.error();
        if (const auto reason = arrays_do_not_fit(operation, size.value(), world))
          return Error{ErrorKind::system, *reason};
        points.push_back(
            {&operation, operation.sort_pair_bytes(size.value()), ranks, size.value()});
      } else if (name == "barrier") {
        points.push_back({&operation, 0, ranks});
      } else {
        for (const auto bytes : options.bytes) {
          if (!fits_in_counts(operation, bytes, options.type, ranks))
            return Error{ErrorKind::invalid_argument,
                         "--bytes " + std::to_string(bytes) + ": " + name + " on " +
                             std::to_string(ranks) +
                             " ranks has more elements than MPI counts; take fewer bytes, or a "
                             "multiple of a larger --type"};
          points.push_back({&operation, bytes, ranks});
        }
      }
    }
  }
  return points;
}

}  // namespace

int run_benchmark(const Options& options) {
  sharpen_timers();
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto parts = parts_for(options, ranks);
  if (!parts.ok()) {
    if (rank == 0) std::cerr << "quadrille-bench: " << parts.error().message << '\n';
    return exit_code::wrong_usage;
  }
  World world(parts.value());
  const auto points = planned_points(options, parts.value(), world);
  if (!points.ok()) {
    if (rank == 0) std::cerr << "quadrille-bench: " << points.error().message << '\n';
    return points.error().kind == ErrorKind::invalid_argument ? exit_code::wrong_usage
                                                              : exit_code::failed;
  }
  Lines lines(rank == 0 ? options.output : std::string());
  const auto written = [&] {
    const std::int64_t usable = Rendezvous(MPI_COMM_WORLD).agree({}, [&](const Report&) {
      return lines.usable(options.output) ? 1 : 0;
    });
    if (usable == 0 && rank == 0)
      std::cerr << "quadrille-bench: " << options.output
                << ": cannot be written; give another --output\n";
    return usable == 1;
  };
  if (!written()) return exit_code::failed;
  const std::int64_t start_ns = monotonic_now().value;
  Run run(options, world, lines);
  run.announce();
  std::size_t index = 0;
  for (const auto& point : points.value()) run.point(point, index++, points.value().size());
  if (rank == 0) {
    lines.write(end_line(static_cast<std::int64_t>(index), run.wrong(),
                         static_cast<double>(monotonic_now().value - start_ns) * 1e-9));
    if (run.wrong() > 0) std::cerr << "quadrille-bench: " << run.wrong() << " results were wrong\n";
  }
  const std::int64_t wrong =
      Rendezvous(MPI_COMM_WORLD).agree({}, [&](const Report&) { return run.wrong(); });
  return written() && wrong == 0 ? exit_code::done : exit_code::failed;
}

}  // namespace quadrille::bench
