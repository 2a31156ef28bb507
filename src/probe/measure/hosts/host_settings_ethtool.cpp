// SPDX-License-Identifier: BSD-3-Clause
// Structures and command numbers: linux/ethtool.h.
#include "probe/measure/hosts/host_settings_ethtool.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

namespace quadrille::probe {
namespace {

using nlohmann::json;

class Driver {
 public:
  explicit Driver(const std::string& interface)
      : socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    std::copy_n(interface.data(), std::min<std::size_t>(interface.size(), IFNAMSIZ - 1),
                name_.data());
  }
  ~Driver() {
    if (socket_ >= 0) close(socket_);
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  // Fills `question`, whose first field is the command.
  bool answers(void* question) const {
    ifreq request{};
    std::ranges::copy(name_, static_cast<char*>(request.ifr_name));
    request.ifr_data = static_cast<char*>(question);
    return socket_ >= 0 && ioctl(socket_, SIOCETHTOOL, &request) == 0;
  }

 private:
  int socket_;
  std::array<char, IFNAMSIZ> name_{};
};

template <typename T>
std::optional<T> ask(const Driver& driver, std::uint32_t command) {
  T question{};
  question.cmd = command;
  if (!driver.answers(&question)) return std::nullopt;
  return question;
}

template <std::size_t size>
std::string text_of(const char (&field)[size]) {  // NOLINT(modernize-avoid-c-arrays)
  return {static_cast<const char*>(field), strnlen(static_cast<const char*>(field), size)};
}

// The masks of modes follow the structure; the kernel first says how long they are, as a negative
// number of words, and answers when it is told that number.
void add_link(const Driver& driver, json& entry) {
  constexpr std::size_t most_words = std::size_t{3} * 127;
  alignas(ethtool_link_settings)
      std::array<std::uint32_t, sizeof(ethtool_link_settings) / 4 + most_words>
          memory{};
  auto& link = *reinterpret_cast<ethtool_link_settings*>(memory.data());
  link.cmd = ETHTOOL_GLINKSETTINGS;
  if (!driver.answers(&link) || link.link_mode_masks_nwords >= 0) return;
  const auto words = static_cast<std::int8_t>(-link.link_mode_masks_nwords);
  memory = {};
  link.cmd = ETHTOOL_GLINKSETTINGS;
  link.link_mode_masks_nwords = words;
  if (!driver.answers(&link)) return;
  if (link.speed != 0 && link.speed != static_cast<std::uint32_t>(SPEED_UNKNOWN)) {
    entry["speed_mbit_s"] = link.speed;
  }
  if (link.duplex == DUPLEX_HALF || link.duplex == DUPLEX_FULL) {
    entry["duplex"] = link.duplex == DUPLEX_HALF ? "half" : "full";
  }
  entry["autonegotiation"] = link.autoneg == AUTONEG_ENABLE;
}

struct Offload {
  const char* name;
  std::uint32_t command;
};

constexpr std::array<Offload, 6> offloads{{
    {"tso", ETHTOOL_GTSO},
    {"gso", ETHTOOL_GGSO},
    {"gro", ETHTOOL_GGRO},
    {"rx_checksum", ETHTOOL_GRXCSUM},
    {"tx_checksum", ETHTOOL_GTXCSUM},
    {"scatter_gather", ETHTOOL_GSG},
}};

// What has no command of its own has a name among the kernel's features. Each structure is followed
// by as many parts as there are features.
std::optional<bool> is_active(const Driver& driver, std::string_view name) {
  constexpr std::size_t most_features = 1024;
  alignas(8) std::array<std::uint32_t, 8> counted{};
  auto& sets = *reinterpret_cast<ethtool_sset_info*>(counted.data());
  sets.cmd = ETHTOOL_GSSET_INFO;
  sets.sset_mask = std::uint64_t{1} << ETH_SS_FEATURES;
  if (!driver.answers(&sets) || sets.sset_mask == 0) return std::nullopt;
  const std::uint32_t count = counted[sizeof(ethtool_sset_info) / 4];
  if (count == 0 || count > most_features) return std::nullopt;

  std::vector<std::uint32_t> named(
      (sizeof(ethtool_gstrings) + std::size_t{count} * ETH_GSTRING_LEN) / 4);
  auto& names = *reinterpret_cast<ethtool_gstrings*>(named.data());
  names.cmd = ETHTOOL_GSTRINGS;
  names.string_set = ETH_SS_FEATURES;
  names.len = count;
  if (!driver.answers(&names)) return std::nullopt;
  const char* const first = reinterpret_cast<const char*>(named.data()) + sizeof(ethtool_gstrings);

  const std::uint32_t blocks = (count + 31) / 32;
  std::vector<std::uint32_t> states(
      (sizeof(ethtool_gfeatures) + std::size_t{blocks} * sizeof(ethtool_get_features_block)) / 4);
  auto& features = *reinterpret_cast<ethtool_gfeatures*>(states.data());
  features.cmd = ETHTOOL_GFEATURES;
  features.size = blocks;
  if (!driver.answers(&features)) return std::nullopt;

  for (std::uint32_t feature = 0; feature < count; ++feature) {
    const char* const text = first + std::size_t{feature} * ETH_GSTRING_LEN;
    if (name != std::string_view(text, strnlen(text, ETH_GSTRING_LEN))) continue;
    ethtool_get_features_block block{};
    std::memcpy(&block,
                reinterpret_cast<const char*>(states.data()) + sizeof(ethtool_gfeatures) +
                    (feature / 32) * sizeof block,
                sizeof block);
    return (block.active >> (feature % 32) & 1U) != 0;
  }
  return std::nullopt;
}

void add_offloads(const Driver& driver, json& entry) {
  json found = json::object();
  for (const Offload& offload : offloads) {
    if (const auto answer = ask<ethtool_value>(driver, offload.command)) {
      found[offload.name] = answer->data != 0;
    }
  }
  if (const auto active = is_active(driver, "tx-udp-segmentation"))
    found["udp_segmentation"] = *active;
  if (!found.empty()) entry["offloads"] = std::move(found);
}

}  // namespace

void add_driver_settings(const std::string& interface, json& entry) {
  const Driver driver(interface);
  if (const auto info = ask<ethtool_drvinfo>(driver, ETHTOOL_GDRVINFO)) {
    entry["driver"] = text_of(info->driver);
  }
  add_link(driver, entry);
  if (const auto pause = ask<ethtool_pauseparam>(driver, ETHTOOL_GPAUSEPARAM)) {
    entry["pause"] = {{"rx", pause->rx_pause != 0},
                      {"tx", pause->tx_pause != 0},
                      {"autonegotiated", pause->autoneg != 0}};
  }
  if (const auto ring = ask<ethtool_ringparam>(driver, ETHTOOL_GRINGPARAM)) {
    entry["rings"] = {{"rx", ring->rx_pending},
                      {"rx_most", ring->rx_max_pending},
                      {"tx", ring->tx_pending},
                      {"tx_most", ring->tx_max_pending}};
  }
  if (const auto coalesce = ask<ethtool_coalesce>(driver, ETHTOOL_GCOALESCE)) {
    entry["interrupt_delay_us"] = {{"rx", coalesce->rx_coalesce_usecs},
                                   {"tx", coalesce->tx_coalesce_usecs}};
  }
  add_offloads(driver, entry);
}

}  // namespace quadrille::probe
