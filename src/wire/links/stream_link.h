// SPDX-License-Identifier: BSD-3-Clause
// Datagrams through TCP connections, each behind its length: where UDP does not get through. It
// never blocks; what waits for room is bounded, and dropped beyond, as on the network.
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

#include "wire/links/address.h"

namespace quadrille::wire {

class StreamLink {
 public:
  using Stream = std::uint64_t;  // never used twice; 0 is none

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
  void send(Stream stream, std::span<const std::byte> datagram);

  // Takes in what the kernel has: connections, bytes, ends.
  void exchange();
  struct Arrival {
    Stream stream = 0;
    std::span<std::byte> datagram;  // until the next call of exchange() or close()
  };
  // What exchange() has brought, each once.
  std::optional<Arrival> next();
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
    std::vector<std::byte> arrived;
    std::size_t taken = 0;  // of `arrived`
    std::vector<std::byte> unsent;
    bool connecting = false;
    bool waits_for_room = false;
    bool is_stranger = false;  // has come, and has brought no whole datagram yet
  };

  StreamLink(int listener, int events, NetworkAddress local, std::size_t datagram_bytes);
  void accept_all();
  bool make_room();
  void listen(bool wanted);
  Stream add(int descriptor, bool connecting);
  void take_in(Stream stream, Connection& connection);
  void flush(Stream stream, Connection& connection) const;
  void watch(Stream stream, Connection& connection, bool for_room) const;
  void end(Stream stream, Ending ending);

  int listener_;
  int events_;
  NetworkAddress local_;
  std::size_t datagram_bytes_;
  Stream next_stream_ = 1;
  bool listening_ = true;  // not while no descriptor is left for what comes
  std::map<Stream, Connection> connections_;
  std::vector<Stream> readable_;  // in which next() looks
  std::vector<End> ended_;
};

}  // namespace quadrille::wire
