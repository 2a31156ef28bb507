// SPDX-License-Identifier: BSD-3-Clause
#include "probe/measure/network_end.h"

#include <algorithm>

#include "probe/measure/byte_codec.h"

namespace quadrille::probe {
namespace {

constexpr std::uint32_t full_frame_in_kernel = 2304;  // sk_buff and 2 KiB of data
// Where nothing is known of the interface: as few frames as keep it busy while the sender wakes up,
// so that what is measured behind them waits little.
constexpr std::uint32_t fewest_frames = 4;
constexpr std::int64_t queue_for_ns = 1'000'000;  // of a known interface

std::uint32_t queue_bytes(std::int64_t speed_bit_s) {
  const std::int64_t frames =
      speed_bit_s / (8 * std::int64_t{kFullFrameBytes}) * queue_for_ns / 1'000'000'000;
  return full_frame_in_kernel *
         static_cast<std::uint32_t>(std::clamp<std::int64_t>(frames, fewest_frames, 512));
}

Error unreadable(const char* what, std::size_t bytes) {
  return {ErrorKind::corrupt, std::string(what) + " (" + std::to_string(bytes) +
                                  " bytes) cannot be read; are all hosts running the same "
                                  "version?"};
}

}  // namespace

std::string encode(const JobOpening& opening) {
  ByteWriter out;
  out.number(opening.job);
  out.number(opening.own_host);
  out.number(opening.oversubscribed ? 1 : 0);
  out.number(opening.networks.size());
  for (const auto& network : opening.networks) {
    out.text(network.address);
    out.number(network.mtu_bytes);
    out.signed_number(network.speed_bit_s);
  }
  return out.take();
}

Result<JobOpening> decode_opening(std::string_view bytes) {
  ByteReader in(bytes);
  JobOpening opening;
  opening.job = in.number();
  opening.own_host = in.number32();
  opening.oversubscribed = in.flag();
  opening.networks.resize(in.count());
  for (auto& network : opening.networks) {
    network.address = in.text();
    network.mtu_bytes = in.number32();
    network.speed_bit_s = in.signed_number();
  }
  if (in.complete()) return opening;
  return unreadable("the opening of a job", bytes.size());
}

std::string encode(const Peers& peers) {
  ByteWriter out;
  for (const auto& network : peers) {
    for (const Endpoint& host : network) {
      out.number(host.address);
      out.number(host.port);
    }
  }
  return out.take();
}

Result<Peers> decode_peers(std::string_view bytes, std::size_t networks, std::size_t hosts) {
  ByteReader in(bytes);
  Peers peers(networks, std::vector<Endpoint>(hosts));
  for (auto& network : peers) {
    for (Endpoint& host : network) {
      host.address = in.number32();
      host.port = static_cast<std::uint16_t>(in.at_most(65535));
    }
  }
  if (in.complete()) return peers;
  return unreadable("the list of hosts", bytes.size());
}

Endpoint multicast_group(std::uint64_t job) {
  // 239.192.0.0/14 is for use within an organisation (RFC 2365). Ports below those that Linux gives
  // to anybody who asks for any.
  const auto group = static_cast<std::uint32_t>(job) & 0x3FFFFU;
  const auto port = static_cast<std::uint16_t>(10'000 + (job >> 32U) % 20'000);
  return {0xEFC00000U | group, port};
}

Result<NetworkEnd> NetworkEnd::open(const JobOpening& opening, const JobOpening::OwnAddress& own) {
  const std::uint32_t address = parse_address(own.address);
  auto light = UdpSocket::open({address, 0});
  if (!light.ok()) return light.error();
  auto bulk = UdpSocket::open({address, 0});
  if (!bulk.ok()) return bulk.error();
  NetworkEnd end;
  end.light = std::move(light.value());
  end.bulk = std::move(bulk.value());
  end.bulk.limit_send_queue(queue_bytes(own.speed_bit_s));
  const std::uint32_t mtu = own.mtu_bytes == 0 ? 1500 : own.mtu_bytes;
  end.piece_bytes = std::clamp<std::uint32_t>(mtu, 576, 1500) - 28;  // IPv4 and UDP headers
  end.multicast = multicast_group(opening.job);
  // A host without a way for multicast hears nothing, and that is what is reported.
  auto group = UdpSocket::open(end.multicast);
  const bool sends = end.bulk.send_multicast_by(address).ok();
  if (sends && group.ok() && group.value().join(end.multicast.address, address).ok()) {
    end.group = std::move(group.value());
  }
  return end;
}

}  // namespace quadrille::probe
