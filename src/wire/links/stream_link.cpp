// SPDX-License-Identifier: BSD-3-Clause
#include "wire/links/stream_link.h"

#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/big_endian.h"
#include "wire/links/socket.h"

namespace quadrille::wire {
namespace {

constexpr std::size_t head_bytes = 4;
// More than a host's credits; beyond, the other end has been gone for long.
constexpr std::size_t most_unsent = 4 << 20;
constexpr std::size_t most_read = 64 << 10;
// Of all peers few are cut off; strangers should not use up the descriptors. Who finds no room
// waits until there is some: to be hung up on is a sign that somebody else listens.
constexpr std::size_t most_connections = 256;
// What the other end's system has not acknowledged by then is lost, and the connection with it.
constexpr int patience_ms = 10'000;
constexpr int backlog = 64;
constexpr std::uint64_t of_listener = 0;

}  // namespace

StreamLink::StreamLink(int listener, int events, NetworkAddress local, std::size_t datagram_bytes)
    : listener_(listener),
      events_(events),
      local_(local),
      datagram_bytes_(datagram_bytes),
      buffer_(
          std::make_unique_for_overwrite<std::byte[]>(head_bytes + datagram_bytes + most_read)) {}

StreamLink::~StreamLink() {
  for (const auto& [stream, connection] : connections_) ::close(connection.descriptor);
  ::close(events_);
  ::close(listener_);
}

std::unique_ptr<StreamLink> StreamLink::open(NetworkAddress local, std::size_t datagram_bytes) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int events = epoll_create1(EPOLL_CLOEXEC);
  const auto give_up = [&]() -> std::unique_ptr<StreamLink> {
    if (listener >= 0) ::close(listener);
    if (events >= 0) ::close(events);
    return nullptr;
  };
  if (listener < 0 || events < 0) return give_up();
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = of_listener;
  if (!bind_to(listener, local) || ::listen(listener, backlog) != 0 ||
      epoll_ctl(events, EPOLL_CTL_ADD, listener, &event) != 0)
    return give_up();
  const auto bound = bound_to(listener);
  if (!bound) return give_up();
  return std::unique_ptr<StreamLink>(new StreamLink(listener, events, *bound, datagram_bytes));
}

std::optional<StreamLink::Stream> StreamLink::connect(NetworkAddress to) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return std::nullopt;
  const sockaddr_in there = to_system(to);
  if (bind_to(descriptor, {local_.address, 0}) &&
      (::connect(descriptor, reinterpret_cast<const sockaddr*>(&there), sizeof there) == 0 ||
       errno == EINPROGRESS))
    return add(descriptor, true);
  const bool refused = errno == ECONNREFUSED;
  ::close(descriptor);
  if (!refused) return std::nullopt;
  ended_.push_back({next_stream_, Ending::refused});
  return next_stream_++;
}

StreamLink::Stream StreamLink::add(int descriptor, bool connecting) {
  const int one = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
  setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &patience_ms, sizeof patience_ms);
  const Stream stream = next_stream_++;
  Connection& connection = connections_[stream];
  connection.descriptor = descriptor;
  connection.connecting = connecting;
  connection.waits_for_room = connecting;
  if (connecting) ++waiting_;
  connection.is_stranger = !connecting;
  epoll_event event{};
  event.events = EPOLLIN | (connecting ? EPOLLOUT : 0U);
  event.data.u64 = stream;
  if (epoll_ctl(events_, EPOLL_CTL_ADD, descriptor, &event) != 0) end(stream, Ending::lost);
  return stream;
}

void StreamLink::watch(Stream stream, Connection& connection, bool for_room) {
  if (std::exchange(connection.waits_for_room, for_room) == for_room) return;
  for_room ? ++waiting_ : --waiting_;
  epoll_event event{};
  event.events = EPOLLIN | (for_room ? EPOLLOUT : 0U);
  event.data.u64 = stream;
  epoll_ctl(events_, EPOLL_CTL_MOD, connection.descriptor, &event);
}

void StreamLink::close(Stream stream) {
  const auto found = connections_.find(stream);
  if (found == connections_.end()) return;
  // A forked child may hold the descriptor too.
  epoll_ctl(events_, EPOLL_CTL_DEL, found->second.descriptor, nullptr);
  shutdown(found->second.descriptor, SHUT_RDWR);
  ::close(found->second.descriptor);
  if (found->second.waits_for_room) --waiting_;
  connections_.erase(found);
  std::erase(readable_, stream);
  if (reads_ == stream) unread_ = {};
  listen(true);
}

void StreamLink::listen(bool wanted) {
  if (std::exchange(listening_, wanted) == wanted) return;
  epoll_event event{};
  event.events = wanted ? EPOLLIN : 0U;
  event.data.u64 = of_listener;
  epoll_ctl(events_, EPOLL_CTL_MOD, listener_, &event);
}

void StreamLink::end(Stream stream, Ending ending) {
  close(stream);
  ended_.push_back({stream, ending});
}

bool StreamLink::is_connected(Stream stream) const {
  const auto found = connections_.find(stream);
  return found != connections_.end() && !found->second.connecting;
}

void StreamLink::keep(Connection& connection, std::span<const std::byte> bytes) {
  std::vector<std::byte>& unsent = connection.unsent;
  if (2 * connection.flushed > unsent.size()) {
    unsent.erase(unsent.begin(), unsent.begin() + static_cast<std::ptrdiff_t>(connection.flushed));
    connection.flushed = 0;
  }
  unsent.insert(unsent.end(), bytes.begin(), bytes.end());
}

// From where it is, as far as there is room; the rest is copied.
bool StreamLink::send(Stream stream, std::span<const std::byte> bytes, std::size_t datagram) {
  const auto found = connections_.find(stream);
  if (found == connections_.end() || bytes.empty()) return false;
  Connection& connection = found->second;
  std::array<std::byte, head_bytes> head{};
  put_big_endian(std::span(head).first(2), bytes.size());
  put_big_endian(std::span(head).last(2), datagram);
  if (connection.connecting || !connection.unsent.empty()) {
    if (connection.unsent.size() - connection.flushed + head_bytes + bytes.size() > most_unsent)
      return false;
    keep(connection, head);
    keep(connection, bytes);
    if (!connection.connecting) flush(stream, connection);
    return true;
  }
  std::array<iovec, 2> pieces{
      {{head.data(), head.size()}, {const_cast<std::byte*>(bytes.data()), bytes.size()}}};
  msghdr message{};
  message.msg_iov = pieces.data();
  message.msg_iovlen = pieces.size();
  const ssize_t count = sendmsg(connection.descriptor, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  const std::size_t sent = count < 0 ? 0 : static_cast<std::size_t>(count);
  if (sent < head_bytes) keep(connection, std::span(head).subspan(sent));
  keep(connection, bytes.subspan(sent < head_bytes ? 0 : sent - head_bytes));
  watch(stream, connection, !connection.unsent.empty());
  return true;
}

void StreamLink::flush(Stream stream, Connection& connection) {
  while (connection.flushed < connection.unsent.size()) {
    const auto rest = std::span(connection.unsent).subspan(connection.flushed);
    const ssize_t count =
        ::send(connection.descriptor, rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0) break;  // no room, or the end, which reading tells
    connection.flushed += static_cast<std::size_t>(count);
  }
  if (connection.flushed == connection.unsent.size()) {
    connection.unsent.clear();
    connection.flushed = 0;
  }
  watch(stream, connection, !connection.unsent.empty());
}

void StreamLink::exchange() {
  reads_left_ = most_at_once / most_read;
  std::array<epoll_event, 16> events{};
  const int count = epoll_wait(events_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    const Stream stream = event.data.u64;  // the kernel's is not aligned
    if (stream == of_listener) {
      accept_all();
      continue;
    }
    const auto found = connections_.find(stream);
    if (found == connections_.end()) continue;
    Connection& connection = found->second;
    if (connection.connecting) {
      int error = 0;
      socklen_t length = sizeof error;
      getsockopt(connection.descriptor, SOL_SOCKET, SO_ERROR, &error, &length);
      if (error != 0) {
        end(found->first, error == ECONNREFUSED ? Ending::refused : Ending::lost);
        continue;
      }
      connection.connecting = false;
    }
    if ((event.events & EPOLLOUT) != 0) flush(found->first, connection);
    if ((event.events & ~EPOLLOUT) == 0) continue;
    if (std::ranges::find(readable_, stream) == readable_.end()) readable_.push_back(stream);
  }
}

// The oldest stranger goes: peers speak as soon as they have come.
bool StreamLink::make_room() {
  if (connections_.size() < most_connections) return true;
  const auto silent = std::ranges::find_if(
      connections_, [](const auto& entry) { return entry.second.is_stranger; });
  if (silent == connections_.end()) return false;
  close(silent->first);
  return true;
}

void StreamLink::accept_all() {
  for (;;) {
    if (!make_room()) return listen(false);
    const int descriptor = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) {
      if (errno == EMFILE || errno == ENFILE) listen(false);
      return;
    }
    add(descriptor, false);
  }
}

// Behind what had begun. False where nothing is there, or has ended.
bool StreamLink::read(Stream stream, Connection& connection) {
  std::byte* const to = std::ranges::copy(connection.begun, buffer_.get()).out;
  iovec piece{to, most_read};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(timespec))> control{};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t count = recvmsg(connection.descriptor, &message, MSG_DONTWAIT);
  if (count > 0) {
    const cmsghdr* const last = CMSG_FIRSTHDR(&message);  // of its bytes
    const auto came = last == nullptr ? std::nullopt : kernel_stamp(*last);
    if (came) bursts_.add(static_cast<std::size_t>(count), *came);
    unread_ = {buffer_.get(), connection.begun.size() + static_cast<std::size_t>(count)};
    connection.begun.clear();
    reads_ = stream;
    if (static_cast<std::size_t>(count) == most_read && reads_left_ > 0) {
      --reads_left_;
      readable_.insert(readable_.begin(), stream);
    }
    return true;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  const bool by_the_other = count == 0 || errno == ECONNRESET || errno == EPIPE;
  end(stream, by_the_other ? Ending::hung_up : Ending::lost);
  return false;
}

std::optional<std::span<std::byte>> StreamLink::cut(Connection& connection) {
  if (connection.left == 0) {
    if (unread_.size() < head_bytes) return std::nullopt;
    connection.left = get_big_endian(unread_.first(2));
    connection.datagram = get_big_endian(unread_.subspan(2, 2));
    unread_ = unread_.subspan(head_bytes);
  }
  const std::size_t length = std::min(connection.left, connection.datagram);
  if (length == 0 || length > datagram_bytes_) return std::span<std::byte>{};
  if (unread_.size() < length) return std::nullopt;
  const auto datagram = unread_.first(length);
  unread_ = unread_.subspan(length);
  connection.left -= length;
  return datagram;
}

void StreamLink::keep_begun() {
  if (const auto found = connections_.find(reads_); found != connections_.end())
    found->second.begun.assign(unread_.begin(), unread_.end());
  unread_ = {};
  reads_ = 0;
}

std::optional<StreamLink::Arrival> StreamLink::next() {
  for (;;) {
    if (const auto found = connections_.find(reads_); found != connections_.end()) {
      Connection& connection = found->second;
      const auto datagram = cut(connection);
      if (datagram && datagram->empty()) {  // nobody of ours
        end(reads_, Ending::hung_up);
        continue;
      }
      if (datagram) {
        connection.is_stranger = false;
        return Arrival{reads_, *datagram};
      }
      keep_begun();
    }
    if (readable_.empty()) return std::nullopt;
    const Stream stream = readable_.back();
    readable_.pop_back();
    read(stream, connections_.at(stream));
  }
}

std::vector<StreamLink::End> StreamLink::ended() { return std::exchange(ended_, {}); }

}  // namespace quadrille::wire
