// SPDX-License-Identifier: BSD-3-Clause
// quadrille-pingpong-ompi, -mpich, -abi: one-way times and rates between ranks 0 and 1, below MPI
// and through it. Rank 0 writes a JSON object a line for each way and shape.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/exit_codes.h"
#include "apps/pingpong/measure.h"
#include "apps/pingpong/mpi/mpi_way.h"
#include "apps/pingpong/options.h"
#include "base/settings.h"
#include "fabric/names/local_address.h"

namespace {

using namespace quadrille;
using namespace quadrille::pingpong;

Result<std::unique_ptr<Way>> open_way(const std::string& name, const WaySettings& settings) {
  if (name == "mpi") return std::unique_ptr<Way>(std::make_unique<MpiWay>(settings.rank));
  if (name == "tcp") return tcp_way(settings);
  const std::string over = "wire-";
  if (name.starts_with(over))
    return wire_way(settings, wire::link_kind(name.substr(over.size())).value());
  return link_way(settings, wire::link_kind(name).value());
}

void exchange_by_mpi(int other, std::span<const std::byte> own, std::span<std::byte> there) {
  const int length = static_cast<int>(own.size());
  MPI_Sendrecv(own.data(), length, MPI_BYTE, other, 1, there.data(), length, MPI_BYTE, other, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void print(const nlohmann::json& line) { std::printf("%s\n", line.dump().c_str()); }

// False where a result was wrong or did not come.
bool measure_way(const std::string& name, const PingpongOptions& options,
                 const WaySettings& settings) {
  auto opened = open_way(name, settings);
  if (!opened.ok()) {
    if (settings.rank == 0)
      print({{"type", "missing"}, {"way", name}, {"reason", opened.error().message}});
    return true;
  }
  const std::map<std::string, Pattern> patterns{{"pingpong", Pattern::pingpong},
                                                {"unidirectional", Pattern::unidirectional},
                                                {"bidirectional", Pattern::bidirectional}};
  for (const std::string& pattern : options.patterns) {
    for (const std::size_t bytes : options.sizes) {
      Shape shape{.pattern = patterns.at(pattern), .bytes = bytes};
      if (shape.pattern != Pattern::pingpong) shape.window = options.window;
      if (!opened.value()->carries(shape.bytes, shape.window)) continue;
      const auto figures = measure(*opened.value(), settings, shape, options.seconds);
      if (!figures) {
        std::fprintf(stderr, "quadrille: %s %s of %zu bytes: a message did not arrive\n",
                     name.c_str(), pattern.c_str(), bytes);
        return false;
      }
      if (settings.rank == 0) {
        print({{"type", "pingpong"},
               {"way", name},
               {"pattern", pattern},
               {"bytes", bytes},
               {"window", shape.window},
               {"messages", figures->messages},
               {"median_ns", figures->median_ns},
               {"tenth_ns", figures->tenth_ns},
               {"ninetieth_ns", figures->ninetieth_ns},
               {"cpu_ns", figures->cpu_ns},
               {"correct", figures->correct}});
      }
      if (!figures->correct) return false;
    }
  }
  return true;
}

int run(const PingpongOptions& options, int rank) {
  WaySettings settings;
  settings.rank = rank;
  settings.burst_bytes = options.burst_bytes;
  const auto of_job = read_settings([](const char* name) { return std::getenv(name); });
  if (of_job.ok()) settings.link_helper = of_job.value().link_helper;
  settings.exchange = [&](auto own, auto there) { exchange_by_mpi(1 - rank, own, there); };
  const auto interface = fabric::choose_interface(fabric::local_interfaces(), options.interface);
  if (interface.ok()) {
    settings.address = interface.value().address;
    settings.mtu_bytes = interface.value().mtu_bytes;
  }
  settings.mtu_bytes =
      std::min(settings.mtu_bytes, exchanged(settings.exchange, settings.mtu_bytes));
  const bool has_interfaces = exchanged(settings.exchange, interface.ok()) && interface.ok();
  for (const std::string& way : options.ways) {
    if (way != "mpi" && !has_interfaces) {
      if (rank == 0)
        print({{"type", "missing"}, {"way", way}, {"reason", "a host has no interface"}});
      continue;
    }
    if (!measure_way(way, options, settings)) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto parsed = parse_pingpong_options(argc, argv);
  int code = parsed.exit_code;
  if (!parsed.run) {
    if (rank == 0) parsed.print();
  } else if (ranks < 2) {
    std::fprintf(stderr, "quadrille: pingpong needs two ranks\n");
    code = exit_code::failed;
  } else if (rank < 2) {
    code = run(parsed.options, rank);
  }
  if (code != 0 && ranks >= 2) {
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  MPI_Finalize();
  return code;
}
