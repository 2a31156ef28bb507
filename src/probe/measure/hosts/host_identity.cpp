// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/hosts/host_identity.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>

namespace quadrille::probe {

std::string machine_identity() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return boot;
}

std::string host_identity() {
  std::string identity = machine_identity();
  struct stat space {};
  if (stat("/proc/self/ns/net", &space) == 0) identity += ":" + std::to_string(space.st_ino);
  return identity;
}

std::string own_host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace quadrille::probe
