// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/hosts/address_identity.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/fingerprint.h"
#include "probe/measure/hosts/interfaces.h"

namespace quadrille::probe {
namespace {

#ifndef SO_NETNS_COOKIE
constexpr int SO_NETNS_COOKIE = 71;  // asm-generic/socket.h, Linux 5.14
#endif

// Never given twice by one kernel; 0 where it gives none.
std::uint64_t namespace_cookie() {
  std::uint64_t cookie = 0;
  const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return 0;
  socklen_t length = sizeof cookie;
  if (getsockopt(descriptor, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &length) != 0) cookie = 0;
  close(descriptor);
  return cookie;
}

}  // namespace

std::uint64_t own_address_identity(bool shares_machine) {
  const HostFacts facts = own_facts();
  const bool any_physical =
      std::any_of(facts.interfaces.begin(), facts.interfaces.end(),
                  [](const Interface& interface) { return interface.physical; });
  std::vector<std::string> addresses;
  for (const Interface& interface : facts.interfaces) {
    if (interface.physical || !any_physical) addresses.push_back(interface.address);
  }
  std::sort(addresses.begin(), addresses.end());
  std::string all;
  for (const std::string& address : addresses) all += address + " ";
  if (shares_machine) all += facts.machine + " " + std::to_string(namespace_cookie());
  return fingerprint(all);
}

}  // namespace quadrille::probe
