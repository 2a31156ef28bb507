// SPDX-License-Identifier: BSD-3-Clause
// Bytes of any kind through a connection on the loopback: what comes out is cut as their lengths
// say, none is longer than a datagram may be, and where one would be the connection ends. Built and
// run by scripts/fuzz.sh.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "wire/links/stream_link.h"

namespace quadrille::wire {
namespace {

constexpr std::size_t kDatagram = 256;
constexpr std::uint32_t kLoopback = 0x7f000001;

using Datagrams = std::vector<std::vector<std::uint8_t>>;

// What the bytes mean, and whether a length among them ends the connection.
std::pair<Datagrams, bool> cut(std::span<const std::uint8_t> bytes) {
  Datagrams cut;
  while (bytes.size() >= 4) {
    std::size_t left = static_cast<std::size_t>(bytes[0]) << 8U | bytes[1];
    const std::size_t datagram = static_cast<std::size_t>(bytes[2]) << 8U | bytes[3];
    bytes = bytes.subspan(4);
    do {
      const std::size_t length = std::min(left, datagram);
      if (length == 0 || length > kDatagram) return {cut, true};
      if (bytes.size() < length) return {cut, false};
      cut.emplace_back(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length));
      bytes = bytes.subspan(length);
      left -= length;
    } while (left > 0);
  }
  return {cut, false};
}

// In two pieces, the first of `first` bytes.
void pass(std::span<const std::uint8_t> bytes, std::size_t first) {
  static const std::unique_ptr<StreamLink> link = StreamLink::open({kLoopback, 0}, kDatagram);
  const auto [expected, ends] = cut(bytes);
  const int sender = socket(AF_INET, SOCK_STREAM, 0);
  const sockaddr_in to = to_system(link->local());
  if (connect(sender, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) std::abort();
  Datagrams found;
  const auto take_in = [&] {
    link->exchange();
    while (const auto arrival = link->next()) {
      std::vector<std::uint8_t> datagram;
      for (const std::byte byte : arrival->datagram)
        datagram.push_back(std::to_integer<std::uint8_t>(byte));
      found.push_back(std::move(datagram));
    }
  };
  take_in();
  for (const auto& piece : {bytes.first(first), bytes.subspan(first)}) {
    send(sender, piece.data(), piece.size(), MSG_NOSIGNAL);
    take_in();
  }
  // No lingering connections: so many inputs would use up all ports.
  const linger at_once{1, 0};
  setsockopt(sender, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  if (!ends) shutdown(sender, SHUT_WR);
  for (int i = 0; i < 1000; ++i) {
    take_in();
    if (!link->ended().empty()) break;
    if (i == 999) std::abort();
  }
  close(sender);
  if (found != expected) std::abort();
}

}  // namespace
}  // namespace quadrille::wire

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span bytes(data + 1, size - 1);
  quadrille::wire::pass(bytes, std::min<std::size_t>(data[0], bytes.size()));
  return 0;
}
