// SPDX-License-Identifier: BSD-3-Clause
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <deque>

#include "apps/pingpong/patience.h"
#include "apps/pingpong/way.h"
#include "wire/links/socket.h"

namespace quadrille::pingpong {
namespace {

class TcpWay : public Way {
 public:
  explicit TcpWay(int descriptor) : descriptor_(descriptor) {}
  ~TcpWay() override { close(descriptor_); }

  // A stream has no empty messages.
  bool carries(std::size_t bytes, std::size_t /*window*/) const override { return bytes > 0; }
  void send(std::span<const std::byte> message) override { leaving_.push_back(message); }
  void receive(std::span<std::byte> message) override { coming_.push_back(message); }
  bool complete() override {
    Patience patience;
    while (!leaving_.empty() || !coming_.empty()) {
      const bool moved = write_some() || read_some();
      if (is_over_ || !patience.lasts(moved)) return false;
    }
    return true;
  }

 private:
  bool write_some() {
    if (leaving_.empty()) return false;
    auto& front = leaving_.front();
    const ssize_t length =
        ::send(descriptor_, front.data(), front.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (length < 0) return note_failure();
    front = front.subspan(static_cast<std::size_t>(length));
    if (front.empty()) leaving_.pop_front();
    return true;
  }
  bool read_some() {
    if (coming_.empty()) return false;
    auto& front = coming_.front();
    const ssize_t length = recv(descriptor_, front.data(), front.size(), MSG_DONTWAIT);
    if (length < 0) return note_failure();
    is_over_ = length == 0 && !front.empty();
    front = front.subspan(static_cast<std::size_t>(length));
    if (front.empty()) coming_.pop_front();
    return true;
  }
  bool note_failure() {
    is_over_ = !wire::is_for_now(errno);
    return false;
  }

  int descriptor_;
  bool is_over_ = false;
  std::deque<std::span<const std::byte>> leaving_;
  std::deque<std::span<std::byte>> coming_;
};

// Port 0 where it cannot listen.
wire::NetworkAddress listen_at(int listener, std::uint32_t address) {
  const sockaddr_in wanted = wire::to_system({address, 0});
  sockaddr_in bound{};
  socklen_t length = sizeof bound;
  if (bind(listener, reinterpret_cast<const sockaddr*>(&wanted), sizeof wanted) != 0 ||
      listen(listener, 1) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&bound), &length) != 0)
    return {};
  return wire::from_system(bound);
}

}  // namespace

Result<std::unique_ptr<Way>> tcp_way(const WaySettings& settings) {
  const int first = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  wire::NetworkAddress own{};
  if (settings.rank == 0 && first >= 0) own = listen_at(first, settings.address);
  const auto other = exchanged(settings.exchange, own);
  int descriptor = -1;
  if (settings.rank == 1) {
    const sockaddr_in to = wire::to_system(other);
    const bool connected =
        other.port != 0 && connect(first, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    if (connected) descriptor = first;
  }
  const bool reached = exchanged(settings.exchange, descriptor >= 0);
  if (settings.rank == 0) {
    if (reached) descriptor = accept4(first, nullptr, nullptr, SOCK_CLOEXEC);
    close(first);
  }
  if (descriptor < 0) return Error{ErrorKind::system, "no TCP connection between both hosts"};
  wire::set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  return std::unique_ptr<Way>(std::make_unique<TcpWay>(descriptor));
}

}  // namespace quadrille::pingpong
