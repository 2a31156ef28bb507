// SPDX-License-Identifier: BSD-3-Clause
// The machine and settings a rank runs with, as results files state them.
#pragma once

#include <map>
#include <string>

namespace quadrille::bench {

struct Machine {
  std::string host{};     // as `hostname` prints it
  std::string boot_id{};  // equal for hosts that share a kernel (containers, emulated hosts)
  std::string kernel{};   // name, release, machine
  std::string cpu{};      // model name; empty where the kernel does not tell
  int cores = 0;          // this process may run on
  std::string tcp_congestion_control{};
};

Machine this_machine();

// The QUADRILLE_* variables, without secrets.
std::map<std::string, std::string> quadrille_environment();

}  // namespace quadrille::bench
