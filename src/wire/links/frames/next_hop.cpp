// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/frames/next_hop.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "wire/links/socket.h"

namespace quadrille::wire {
namespace {

std::string name_of(std::uint32_t address) {
  std::string name;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return name;
  for (const ifaddrs* entry = list; entry != nullptr && name.empty(); entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    const auto* own = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
    // All of 127.0.0.0/8 is the loopback's.
    const bool is_loopback = (entry->ifa_flags & IFF_LOOPBACK) != 0 && address >> 24U == 127;
    if (ntohl(own->sin_addr.s_addr) == address || is_loopback) name = entry->ifa_name;
  }
  freeifaddrs(list);
  return name;
}

struct Route {
  unsigned interface = 0;
  std::uint32_t neighbour = 0;  // the gateway, or the address itself
};

// A request for one route, with its attribute (RTM_GETROUTE, rtnetlink(7)).
struct RouteRequest {
  nlmsghdr header{};
  rtmsg route{};
  rtattr attribute{};
  std::uint32_t address = 0;
};

std::optional<Route> read_route(const nlmsghdr& header, std::uint32_t address) {
  if (header.nlmsg_type != RTM_NEWROUTE) return std::nullopt;
  const auto* message = static_cast<const rtmsg*>(NLMSG_DATA(&header));
  if (message->rtm_type != RTN_UNICAST && message->rtm_type != RTN_LOCAL) return std::nullopt;
  Route found{.interface = 0, .neighbour = address};
  int left = static_cast<int>(RTM_PAYLOAD(&header));
  for (const rtattr* a = RTM_RTA(message); RTA_OK(a, left); a = RTA_NEXT(a, left)) {
    if (RTA_PAYLOAD(a) < sizeof(std::uint32_t)) continue;
    std::uint32_t value = 0;
    std::memcpy(&value, RTA_DATA(a), sizeof value);
    if (a->rta_type == RTA_OIF) found.interface = value;
    if (a->rta_type == RTA_GATEWAY) found.neighbour = ntohl(value);
  }
  return found;
}

std::optional<Route> route_to(int descriptor, std::uint32_t address) {
  RouteRequest request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_GETROUTE;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.route.rtm_family = AF_INET;
  request.route.rtm_dst_len = 32;
  request.attribute = {RTA_LENGTH(sizeof request.address), RTA_DST};
  request.address = htonl(address);
  if (send(descriptor, &request, sizeof request, 0) < 0) return std::nullopt;
  alignas(nlmsghdr) std::array<char, 4096> answer{};
  // The kernel has answered before send() returned.
  const ssize_t length = recv(descriptor, answer.data(), answer.size(), MSG_DONTWAIT);
  const auto* header = reinterpret_cast<const nlmsghdr*>(answer.data());
  if (length < 0 || !NLMSG_OK(header, static_cast<std::size_t>(length))) return std::nullopt;
  return read_route(*header, address);
}

}  // namespace

Result<EthernetInterface> ethernet_interface(std::uint32_t address) {
  std::string name = name_of(address);
  if (name.empty()) return Error{ErrorKind::system, "no interface of this host has the address"};
  const Descriptor asks(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  return ethernet_interface(asks.get(), std::move(name));
}

Result<EthernetInterface> ethernet_interface(int descriptor, std::string name) {
  EthernetInterface found;
  found.name = std::move(name);
  ifreq request{};
  found.name.copy(request.ifr_name, sizeof request.ifr_name - 1);
  const bool has_index = ioctl(descriptor, SIOCGIFINDEX, &request) == 0;
  found.index = static_cast<unsigned>(request.ifr_ifindex);
  const bool has_mtu = ioctl(descriptor, SIOCGIFMTU, &request) == 0;
  found.mtu_bytes = static_cast<std::size_t>(request.ifr_mtu);
  const bool has_hardware = ioctl(descriptor, SIOCGIFHWADDR, &request) == 0;
  if (!has_index || !has_mtu || !has_hardware)
    return Error{ErrorKind::system, "interface " + found.name + " cannot be asked"};
  const auto kind = request.ifr_hwaddr.sa_family;
  if (kind != ARPHRD_ETHER && kind != ARPHRD_LOOPBACK)
    return Error{ErrorKind::unsupported, "interface " + found.name + " carries no Ethernet frames"};
  found.resolves = kind == ARPHRD_ETHER;
  return found;
}

Descriptor open_routes() {
  return Descriptor(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
}

NextHops::NextHops(EthernetInterface interface, Descriptor routes, int asks)
    : interface_(std::move(interface)), routes_(std::move(routes)), asks_(asks) {}

std::optional<HardwareAddress> NextHops::find(std::uint32_t address) const {
  const auto route = route_to(routes_.get(), address);
  if (!route || route->interface != interface_.index) return std::nullopt;
  HardwareAddress hardware{};
  if (!interface_.resolves) return hardware;
  arpreq request{};
  const sockaddr_in neighbour = to_system({route->neighbour, 0});
  std::memcpy(&request.arp_pa, &neighbour, sizeof neighbour);
  interface_.name.copy(request.arp_dev, sizeof request.arp_dev - 1);
  if (ioctl(asks_, SIOCGARP, &request) != 0 || (request.arp_flags & ATF_COM) == 0)
    return std::nullopt;
  std::copy_n(request.arp_ha.sa_data, hardware.size(), hardware.begin());
  return hardware;
}

std::optional<HardwareAddress> NextHops::own() const {
  ifreq request{};
  interface_.name.copy(request.ifr_name, sizeof request.ifr_name - 1);
  HardwareAddress hardware{};
  if (ioctl(asks_, SIOCGIFHWADDR, &request) != 0) return std::nullopt;
  std::copy_n(request.ifr_hwaddr.sa_data, hardware.size(), hardware.begin());
  return hardware;
}

}  // namespace quadrille::wire
