// SPDX-License-Identifier: BSD-3-Clause
// Machines are exchanged as fixed-size records by the MPI library alone.
#include "apps/bench/mpi/world.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "mpi/start/clock_alignment.h"

namespace quadrille::bench {
namespace {

struct MachineRecord {
  std::array<char, 256> host{};
  std::array<char, 64> boot_id{};
  std::array<char, 256> kernel{};
  std::array<char, 256> cpu{};
  std::array<char, 32> tcp_congestion_control{};
  int cores = 0;
};

template <std::size_t Size>
void store(const std::string& text, std::array<char, Size>& into) {
  std::strncpy(into.data(), text.c_str(), Size - 1);
}

MachineRecord record_of(const Machine& machine) {
  MachineRecord record;
  store(machine.host, record.host);
  store(machine.boot_id, record.boot_id);
  store(machine.kernel, record.kernel);
  store(machine.cpu, record.cpu);
  store(machine.tcp_congestion_control, record.tcp_congestion_control);
  record.cores = machine.cores;
  return record;
}

std::vector<Machine> exchange_machines(int ranks) {
  const MachineRecord mine = record_of(this_machine());
  std::vector<MachineRecord> records(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, records.data(), sizeof mine, MPI_BYTE,
                 MPI_COMM_WORLD);
  std::vector<Machine> machines;
  machines.reserve(records.size());
  for (const auto& record : records) {
    machines.push_back({.host = record.host.data(),
                        .boot_id = record.boot_id.data(),
                        .kernel = record.kernel.data(),
                        .cpu = record.cpu.data(),
                        .cores = record.cores,
                        .tcp_congestion_control = record.tcp_congestion_control.data()});
  }
  return machines;
}

}  // namespace

World::World(const std::vector<int>& parts) : rendezvous_(MPI_COMM_WORLD) {
  machines_ = exchange_machines(ranks());
  for (const int ranks : parts) {
    Part part;
    part.ranks = ranks;
    MPI_Comm_split(MPI_COMM_WORLD, rank() < ranks ? 0 : MPI_UNDEFINED, rank(), &part.communicator);
    if (part.communicator != MPI_COMM_NULL)
      part.rendezvous = std::make_unique<Rendezvous>(part.communicator);
    parts_[ranks] = std::move(part);
  }
}

World::~World() {
  for (auto& [ranks, part] : parts_) {
    part.rendezvous.reset();
    if (part.communicator != MPI_COMM_NULL) MPI_Comm_free(&part.communicator);
  }
}

void World::align_clocks(int exchanges) {
  clock_.learn(measure_offset(MPI_COMM_WORLD, exchanges));
  Report report;
  report.last_end = clock_.uncertainty_ns();
  report.lateness = std::llround(std::abs(clock_.drift_ppm()) * 1000);
  rendezvous_.agree(report, [&](const Report& largest) {
    uncertainty_ns_ = largest.last_end;
    drift_ppm_ = static_cast<double>(largest.lateness) / 1000;
    return 0;
  });
}

bool World::cores_suffice_for_spinning() const {
  return std::all_of(machines_.begin(), machines_.end(), [&](const Machine& machine) {
    const auto sharing =
        std::count_if(machines_.begin(), machines_.end(),
                      [&](const Machine& other) { return other.boot_id == machine.boot_id; });
    return sharing <= machine.cores;
  });
}

}  // namespace quadrille::bench
