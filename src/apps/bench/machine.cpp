// SPDX-License-Identifier: BSD-3-Clause
// Facts out of uname, /proc and the environment.
#include "apps/bench/machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string_view>

namespace quadrille::bench {
namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    return colon == std::string::npos ? std::string() : line.substr(colon + 2);
  }
  return {};
}

}  // namespace

Machine this_machine() {
  Machine machine;
  utsname names{};
  uname(&names);
  machine.host = names.nodename;
  machine.kernel = std::string(names.sysname) + " " + names.release + " " + names.machine;
  machine.boot_id = first_line("/proc/sys/kernel/random/boot_id");
  machine.cpu = cpu_model();
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) machine.cores = CPU_COUNT(&set);
  machine.tcp_congestion_control = first_line("/proc/sys/net/ipv4/tcp_congestion_control");
  return machine;
}

std::map<std::string, std::string> quadrille_environment() {
  constexpr std::string_view kPrefix = "QUADRILLE_";
  std::map<std::string, std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (!text.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals);
    if (name.find("SECRET") == std::string_view::npos) found.emplace(name, text.substr(equals + 1));
  }
  return found;
}

}  // namespace quadrille::bench
