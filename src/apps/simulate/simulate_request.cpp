// SPDX-License-Identifier: BSD-3-Clause
#include "apps/simulate/simulate_request.h"

namespace quadrille::simulate {

void SimulateRequest::add_to(CLI::App& app) {
  app.add_option("operation", collective, "bcast, allreduce, alltoall, alltoallv, ...")->required();
  app.add_option("--bytes", bytes,
                 "whole vector; of allgather, gather, scatter and reduce_scatter_block a rank's "
                 "block, of alltoall a pair's, of alltoallv the mean of these")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40));
  app.add_option("--ranks", ranks, "not given: all that the hosts of the network hold");
  app.add_option("--ranks-per-host", ranks_per_host, "a host is filled before the next one")
      ->capture_default_str();
  app.add_option("--root", root, "of bcast, reduce, gather and scatter")->capture_default_str();
  app.add_option("--network", network,
                 "a network model's file, or switch or leaf-spine with "
                 ":hosts=N:leaf=N:spines=N:over=X:rate=GBIT:buffer=KIB:latency=US:trunk=US:mtu=N")
      ->capture_default_str();
  app.add_option("--algorithm", algorithm,
                 "instead of the planner's: ALGORITHM[:NAME=VALUE...], as in QUADRILLE_ALGORITHM");
  app.add_option("--blocks", blocks, "of alltoallv: equal, power-law, one-sender, sparse")
      ->capture_default_str();
  app.add_option("--calls", calls, "one behind the other; the last one is told of")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--communicators", communicators, "that the calls go to in turn")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--multicast,!--no-multicast", multicast,
               "use it where the network says that it reaches all hosts (default)");
  app.add_flag("--processors,!--no-processors", processors,
               "each datagram costs its ranks' processors time (default)");
  app.add_option("--late-ranks", late_ranks, "that enter each call late")->capture_default_str();
  app.add_option("--late-us", late_us, "how late, microseconds")->check(CLI::Range(0.0, 1e8));
  app.add_option("--loss", loss_percent, "percent of all datagrams")->check(CLI::Range(0.0, 50.0));
  app.add_option("--paths", paths, "UDP ports that long messages leave by, as QUADRILLE_PATHS")
      ->check(CLI::Range(1, 4))
      ->capture_default_str();
  app.add_option("--socket-datagrams", socket_datagrams,
                 "that a socket keeps; not given: with net.core.rmem_max of 4 MiB")
      ->check(CLI::Range(8, 1'000'000));
  app.add_option("--budget", budget, "packets that a host's budget begins with; not given: a job's")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--most-budget", most_budget, "packets that it may grow to; not given: a job's")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--seed", seed, "of what is lost, who is late, and ways through the network")
      ->capture_default_str();
  app.add_option("--longest", longest_s, "seconds of virtual time after which it has failed")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
}

}  // namespace quadrille::simulate
