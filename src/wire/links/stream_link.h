// SPDX-License-Identifier: BSD-3-Clause
// Datagrams through TCP connections: where UDP does not get through, or TCP is faster. A record is
// one datagram, or several of one length but the last, behind a head of its bytes (2) and of those
// of a datagram (2). It never blocks; what waits for room is bounded.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "wire/links/address.h"
#include "wire/links/burst_times.h"
#include "wire/links/link.h"

namespace quadrille::wire {

class StreamLink {
 public:
  using Stream = std::uint64_t;  // never used twice; 0 is none
  static constexpr std::size_t most_at_once = std::size_t{1} << 20U;

  // Listens at `local`'s address; nothing where the system has no descriptor left for it.
  static std::unique_ptr<StreamLink> open(NetworkAddress local, std::size_t datagram_bytes);
  StreamLink(const StreamLink&) = delete;
  StreamLink& operator=(const StreamLink&) = delete;
  ~StreamLink();

  NetworkAddress local() const { return local_; }
  // Readable while arrived() or ended() may have something, or unsent bytes have room.
  int descriptor() const { return events_; }

  // A connection to `to`, which takes datagrams at once; nothing where there is none to be had.
  std::optional<Stream> connect(NetworkAddress to);
  void close(Stream stream);
  // Somebody has taken the connection.
  bool is_connected(Stream stream) const;
  // `bytes` as datagrams of `datagram` bytes, the last of what is left. REQUIRES: no more than
  // longest_message.
  // False where there is no such connection, or too much waits in it already.
  bool send(Stream stream, std::span<const std::byte> bytes, std::size_t datagram);
  bool send(Stream stream, std::span<const std::byte> datagram) {
    return send(stream, datagram, datagram.size());
  }

  // Something waits for room in a connection.
  bool has_unsent() const { return waiting_ > 0; }

  // Takes in what the kernel has: connections, bytes, ends.
  void exchange();
  struct Arrival {
    Stream stream = 0;
    std::span<std::byte> datagram;  // until the next call
  };
  // What exchange() has found; it is read from the kernel here, no more than `most_at_once` of all.
  std::optional<Arrival> next();
  // See BurstTimes.
  std::optional<Nanoseconds> took(std::size_t bytes) { return bursts_.take(bytes); }
  // Refused: nobody listens there. Hung up: somebody did, and ended it or spoke of something else.
  // Lost: nothing is known of the other end.
  enum class Ending : std::uint8_t { refused, hung_up, lost };
  struct End {
    Stream stream = 0;
    Ending ending = Ending::lost;
  };
  // Connections that have ended since the last call, without close().
  std::vector<End> ended();

 private:
  struct Connection {
    int descriptor = -1;
    std::vector<std::byte> begun;  // that has arrived of a head or a datagram
    std::size_t left = 0;          // of the record that has begun
    std::size_t datagram = 0;      // of its datagrams but the last
    std::vector<std::byte> unsent;
    std::size_t flushed = 0;  // of `unsent`
    bool connecting = false;
    bool waits_for_room = false;
    bool is_stranger = false;  // has come, and has brought no whole datagram yet
  };

  StreamLink(int listener, int events, NetworkAddress local, std::size_t datagram_bytes);
  void accept_all();
  bool make_room();
  void listen(bool wanted);
  Stream add(int descriptor, bool connecting);
  // The next datagram of what has been read; nothing: more has to be. Empty: nobody of ours sent
  // it.
  std::optional<std::span<std::byte>> cut(Connection& connection);
  bool read(Stream stream, Connection& connection);
  void keep_begun();
  void flush(Stream stream, Connection& connection);
  // Behind what waits already.
  static void keep(Connection& connection, std::span<const std::byte> bytes);
  void watch(Stream stream, Connection& connection, bool for_room);
  void end(Stream stream, Ending ending);

  int listener_;
  int events_;
  NetworkAddress local_;
  std::size_t datagram_bytes_;
  Stream next_stream_ = 1;
  std::size_t waiting_ = 0;  // connections that wait for room
  bool listening_ = true;    // not while no descriptor is left for what comes
  std::map<Stream, Connection> connections_;
  std::vector<Stream> readable_;  // in which next() looks
  std::size_t reads_left_ = 0;    // of `most_read` bytes
  std::unique_ptr<std::byte[]> buffer_;
  std::span<std::byte> unread_;  // of it, for next()
  Stream reads_ = 0;             // whose these are
  BurstTimes bursts_;
  std::vector<End> ended_;
};

}  // namespace quadrille::wire
