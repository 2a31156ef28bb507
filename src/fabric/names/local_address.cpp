// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/names/local_address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace quadrille::fabric {
namespace {

std::uint32_t number_of(const sockaddr* address) {
  return ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr);
}

// An IPv6 address that reaches further than the own link.
bool is_of_a_network(const sockaddr* address) {
  if (address->sa_family != AF_INET6) return false;
  const in6_addr& number = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  return !IN6_IS_ADDR_LINKLOCAL(&number) && !IN6_IS_ADDR_LOOPBACK(&number);
}

std::size_t mtu_of(const std::string& name) {
  constexpr std::size_t usual = 1500;
  const int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return usual;
  ifreq request{};
  name.copy(request.ifr_name, sizeof request.ifr_name - 1);
  const bool known = ioctl(descriptor, SIOCGIFMTU, &request) == 0;
  close(descriptor);
  return known ? static_cast<std::size_t>(request.ifr_mtu) : usual;
}

bool is_of_machines_inside(const std::string& name) {
  constexpr std::array prefixes{"docker", "br-", "virbr", "podman", "cni", "flannel", "lxc"};
  return std::ranges::any_of(prefixes,
                             [&](const char* prefix) { return name.starts_with(prefix); });
}

// RFC 3927: as of management controllers, whose interfaces have the same one on every host.
bool is_link_local(const LocalInterface& interface) { return interface.address >> 16U == 0xa9fe; }

bool is_wanted(const LocalInterface& interface, const std::string& wanted) {
  if (interface.name == wanted) return true;
  const std::size_t slash = wanted.find('/');
  in_addr address{};
  if (inet_pton(AF_INET, wanted.substr(0, slash).c_str(), &address) != 1) return false;
  unsigned bits = 32;
  if (slash != std::string::npos) {
    const std::string_view text = std::string_view(wanted).substr(slash + 1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
    if (error != std::errc() || end != text.data() + text.size() || bits > 32) return false;
  }
  const std::uint32_t mask = bits == 0 ? 0 : ~std::uint32_t{0} << (32 - bits);
  return ((interface.address ^ ntohl(address.s_addr)) & mask) == 0;
}

}  // namespace

std::vector<LocalInterface> local_interfaces() {
  std::vector<LocalInterface> interfaces;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return interfaces;
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_UP) == 0) continue;
    if (is_of_a_network(entry->ifa_addr)) interfaces.push_back({.name = entry->ifa_name});
    if (entry->ifa_addr->sa_family != AF_INET || entry->ifa_netmask == nullptr) continue;
    interfaces.push_back({.name = entry->ifa_name,
                          .address = number_of(entry->ifa_addr),
                          .mask = number_of(entry->ifa_netmask),
                          .mtu_bytes = mtu_of(entry->ifa_name),
                          .is_loopback = (entry->ifa_flags & IFF_LOOPBACK) != 0});
  }
  freeifaddrs(list);
  return interfaces;
}

Result<LocalInterface> choose_interface(const std::vector<LocalInterface>& interfaces,
                                        const std::string& wanted) {
  const LocalInterface* loopback = nullptr;
  const LocalInterface* link_local = nullptr;
  const LocalInterface* ipv6_alone = nullptr;
  for (const LocalInterface& interface : interfaces) {
    if (!wanted.empty()) {
      if (interface.address != 0 && is_wanted(interface, wanted)) return interface;
      continue;
    }
    if (is_of_machines_inside(interface.name)) continue;
    const LocalInterface** const kind = interface.address == 0     ? &ipv6_alone
                                        : interface.is_loopback    ? &loopback
                                        : is_link_local(interface) ? &link_local
                                                                   : nullptr;
    if (kind == nullptr) return interface;
    if (*kind == nullptr) *kind = &interface;
  }
  if (!wanted.empty())
    return Error{ErrorKind::invalid_argument,
                 "QUADRILLE_FABRIC_INTERFACE=" + wanted +
                     ": no interface of this host has that name, address or network"};
  if (link_local != nullptr) return *link_local;
  if (ipv6_alone != nullptr)
    return Error{ErrorKind::system, "this host has IPv6 addresses alone (interface " +
                                        ipv6_alone->name +
                                        "), and IPv4 is needed; ranks of one host can use "
                                        "QUADRILLE_FABRIC_INTERFACE=lo"};
  if (loopback != nullptr) return *loopback;
  return Error{ErrorKind::system, "no interface is up that has an IPv4 address"};
}

}  // namespace quadrille::fabric
