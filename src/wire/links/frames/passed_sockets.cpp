// SPDX-License-Identifier: BSD-3-Clause
// The other side is python/quadrille/passed_sockets/service.py.
#include "wire/links/frames/passed_sockets.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/monotonic_clock.h"
#include "wire/links/socket.h"

namespace quadrille::wire {
namespace {

constexpr Nanoseconds patience{3'000'000'000};
constexpr std::string_view granted = "granted ";
constexpr std::string_view refused = "refused ";

Error failure(const std::string& path, const std::string& what) {
  return {ErrorKind::system, "the link helper at " + path + " " + what};
}

// Calls again where a signal has ended the call, which waits until `end` at most: a handler may
// have asked for that (SA_RESTART), but calls with a timeout are not begun anew (signal(7)).
template <typename Call>
auto whatever_signals_come(int connection, Nanoseconds end, Call&& call) {
  for (;;) {
    const Nanoseconds left = std::max(end - monotonic_now(), Nanoseconds{1'000});
    const timeval time{left.value / 1'000'000'000, left.value % 1'000'000'000 / 1000};
    set_option(connection, SOL_SOCKET, SO_SNDTIMEO, time);
    set_option(connection, SOL_SOCKET, SO_RCVTIMEO, time);
    const auto result = call();
    if (result >= 0 || errno != EINTR || monotonic_now() >= end) return result;
  }
}

Result<Descriptor> connect_to(const std::string& path, Nanoseconds end) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return failure(path, "has too long a name");
  path.copy(address.sun_path, path.size());
  Descriptor connection(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!connection) return failure(path, std::string("cannot be asked: ") + std::strerror(errno));
  const auto connects = [&] {
    return connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  };
  if (whatever_signals_come(connection.get(), end, connects) == 0) return connection;
  if (errno == ENOENT || errno == ECONNREFUSED) return failure(path, "does not run");
  return failure(path, std::string("cannot be reached: ") + std::strerror(errno));
}

struct Answer {
  std::string text;
  std::array<Descriptor, 3> passed;
};

Result<Answer> receive_answer(int connection, const std::string& path, Nanoseconds end) {
  std::array<char, 1024> text{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(3 * sizeof(int))> control{};
  iovec piece{text.data(), text.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t length = whatever_signals_come(
      connection, end, [&] { return recvmsg(connection, &header, MSG_CMSG_CLOEXEC); });
  if (length < 0) return failure(path, "does not answer");
  Answer answer;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(c) + i * sizeof number, sizeof number);
      Descriptor one(number);  // there may be room for more than were asked for
      if (i < answer.passed.size()) answer.passed[i] = std::move(one);
    }
  }
  if (length == 0) return failure(path, "does not answer");
  answer.text.assign(text.data(), static_cast<std::size_t>(length));
  return answer;
}

Result<FrameSockets> take(Answer answer, const std::string& path) {
  FrameSockets sockets;
  sockets.are_passed = true;
  sockets.udp = std::move(answer.passed[0]);
  sockets.packet = std::move(answer.passed[1]);
  sockets.routes = std::move(answer.passed[2]);
  const auto bound = bound_to(sockets.udp.get());
  if (!sockets.routes || !bound) return failure(path, "passes other sockets than were asked for");
  for (const int descriptor : {sockets.udp.get(), sockets.packet.get()})
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
  sockets.local = *bound;
  auto interface = ethernet_interface(sockets.udp.get(), answer.text.substr(granted.size()));
  if (!interface.ok()) return interface.error();
  sockets.interface = std::move(interface.value());
  return sockets;
}

}  // namespace

Result<FrameSockets> ask_for_sockets(const std::string& path, NetworkAddress local) {
  const Nanoseconds end = monotonic_now() + patience;
  auto connection = connect_to(path, end);
  if (!connection.ok()) return connection.error();
  const std::string request = "quadrille-link 1 " + text_of(local.address);
  const auto sends = [&] {
    return send(connection.value().get(), request.data(), request.size(), MSG_NOSIGNAL);
  };
  if (whatever_signals_come(connection.value().get(), end, sends) < 0)
    return failure(path, "does not listen");
  auto answer = receive_answer(connection.value().get(), path, end);
  if (!answer.ok()) return answer.error();
  const std::string& text = answer.value().text;
  if (text.starts_with(refused)) return failure(path, "refuses: " + text.substr(refused.size()));
  if (!text.starts_with(granted))
    return failure(path, "speaks another language; install one version");
  return take(std::move(answer.value()), path);
}

}  // namespace quadrille::wire
