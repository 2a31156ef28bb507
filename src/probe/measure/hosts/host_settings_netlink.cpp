// SPDX-License-Identifier: BSD-3-Clause
// Dumps by rtnetlink and nfnetlink: linux/rtnetlink.h, linux/netfilter/nf_tables.h.
#include "probe/measure/hosts/host_settings_netlink.h"

#include <arpa/inet.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace quadrille::probe {
namespace {

using nlohmann::json;

constexpr timeval patience{0, 200'000};
constexpr int most_messages = 1024;  // of a dump; a full Internet table is none of ours
constexpr std::size_t buffer_bytes = 32768;

struct Question {
  nlmsghdr header;
  std::array<unsigned char, 16> body;  // longer than rtmsg and nfgenmsg
};

Question question_of(std::uint16_t type, const void* body, std::size_t body_bytes) {
  Question question{};
  question.header.nlmsg_len = static_cast<std::uint32_t>(NLMSG_LENGTH(body_bytes));
  question.header.nlmsg_type = type;
  question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  std::memcpy(question.body.data(), body, body_bytes);
  return question;
}

using Take = std::function<void(const nlmsghdr& message)>;

// False where the kernel refuses or falls silent.
bool read_dump(int descriptor, const Take& take) {
  std::vector<char> buffer(buffer_bytes);
  for (int reads = 0; reads < most_messages; ++reads) {
    const auto received = recv(descriptor, buffer.data(), buffer.size(), 0);
    if (received <= 0) return false;
    auto left = static_cast<std::uint32_t>(received);
    for (auto* message = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(message, left);
         message = NLMSG_NEXT(message, left)) {
      if (message->nlmsg_type == NLMSG_DONE) return true;
      if (message->nlmsg_type == NLMSG_ERROR) return false;
      take(*message);
    }
  }
  return false;
}

bool dump(int protocol, const Question& question, const Take& take) {
  const int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
  if (descriptor < 0) return false;
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const bool sent = send(descriptor, &question, question.header.nlmsg_len, 0) >= 0;
  const bool complete = sent && read_dump(descriptor, take);
  close(descriptor);
  return complete;
}

using Attributes = std::vector<const rtattr*>;  // [type]; null where there is none

Attributes attributes_of(const rtattr* first, std::uint32_t bytes, std::size_t types) {
  Attributes found(types, nullptr);
  for (const auto* one = first; RTA_OK(one, bytes); one = RTA_NEXT(one, bytes)) {
    const std::size_t type = one->rta_type & NLA_TYPE_MASK;
    if (type < types) found[type] = one;
  }
  return found;
}

std::optional<std::uint32_t> number_of(const rtattr* attribute) {
  std::uint32_t value = 0;
  if (attribute == nullptr || RTA_PAYLOAD(attribute) < sizeof value) return std::nullopt;
  std::memcpy(&value, RTA_DATA(attribute), sizeof value);
  return value;
}

std::string destination_of(const rtmsg& route, const rtattr* attribute) {
  if (attribute == nullptr || RTA_PAYLOAD(attribute) < sizeof(in_addr)) return "default";
  std::array<char, INET_ADDRSTRLEN> text{};
  inet_ntop(AF_INET, RTA_DATA(attribute), text.data(), text.size());
  return std::string(text.data()) + "/" + std::to_string(route.rtm_dst_len);
}

void take_route(const nlmsghdr& message, json& routes) {
  if (message.nlmsg_type != RTM_NEWROUTE || message.nlmsg_len < NLMSG_LENGTH(sizeof(rtmsg))) return;
  const auto* route = static_cast<const rtmsg*>(NLMSG_DATA(&message));
  const auto bytes = static_cast<std::uint32_t>(RTM_PAYLOAD(&message));
  const Attributes outer = attributes_of(RTM_RTA(route), bytes, RTA_MAX + 1);
  const rtattr* metrics = outer[RTA_METRICS];
  if (metrics == nullptr) return;
  const Attributes inner =
      attributes_of(static_cast<const rtattr*>(RTA_DATA(metrics)),
                    static_cast<std::uint32_t>(RTA_PAYLOAD(metrics)), RTAX_MAX + 1);
  const auto rto_min_ms = number_of(inner[RTAX_RTO_MIN]);
  const rtattr* algorithm = inner[RTAX_CC_ALGO];
  if (!rto_min_ms && algorithm == nullptr) return;
  json entry{{"destination", destination_of(*route, outer[RTA_DST])}};
  std::array<char, IF_NAMESIZE> name{};
  const auto interface = number_of(outer[RTA_OIF]);
  if (interface && if_indextoname(*interface, name.data()) != nullptr) {
    entry["interface"] = name.data();
  }
  if (rto_min_ms) entry["tcp_rto_min_ms"] = *rto_min_ms;
  if (algorithm != nullptr) {
    const auto* text = static_cast<const char*>(RTA_DATA(algorithm));
    entry["congestion_control"] = std::string(text, strnlen(text, RTA_PAYLOAD(algorithm)));
  }
  routes.push_back(std::move(entry));
}

}  // namespace

std::optional<json> routes_with_tcp_settings() {
  rtmsg wanted{};
  wanted.rtm_family = AF_INET;
  json routes = json::array();
  const Question question = question_of(RTM_GETROUTE, &wanted, sizeof wanted);
  const bool answered =
      dump(NETLINK_ROUTE, question, [&](const nlmsghdr& message) { take_route(message, routes); });
  if (!answered) return std::nullopt;
  return routes;
}

std::optional<std::uint32_t> nftables_tables() {
  nfgenmsg wanted{};
  wanted.nfgen_family = AF_UNSPEC;
  wanted.version = NFNETLINK_V0;
  std::uint32_t tables = 0;
  const auto type = static_cast<std::uint16_t>(NFNL_SUBSYS_NFTABLES << 8U | NFT_MSG_GETTABLE);
  const Question question = question_of(type, &wanted, sizeof wanted);
  if (!dump(NETLINK_NETFILTER, question, [&](const nlmsghdr&) { ++tables; })) return std::nullopt;
  return tables;
}

}  // namespace quadrille::probe
