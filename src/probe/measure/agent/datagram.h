// SPDX-License-Identifier: BSD-3-Clause
// The header of every measuring datagram; what follows it up to the wished length is zeros.
//
// offset width field, little-endian
//      0     4 magic "QDRp"
//      4     8 job: random, the same for all hosts of the job
//     12     4 round
//     16     1 kind
//     17     1 zero
//     18     2 piece: of a message of several datagrams, counted from 0
//     20     4 from: the sender's number among the job's hosts
//     24     4 id: position of the stream, fan, exchange or multicast in its round
//     28     4 index: which datagram of a stream, pass of a fan, trip of an exchange
//     32     8 sent_ns: since the round's start in the sender's aligned clock, before the send call
//     40     4 held_ns: of an answer, since its question was complete; at most 2^32 - 1
//     44
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace quadrille::probe {

enum class DatagramKind : std::uint8_t { stream, fan, question, answer, multicast };

struct Datagram {
  static constexpr std::size_t bytes = 44;

  std::uint64_t job = 0;
  std::uint32_t round = 0;
  DatagramKind kind = DatagramKind::stream;
  std::uint16_t piece = 0;
  std::uint32_t from = 0;
  std::uint32_t id = 0;
  std::uint32_t index = 0;
  std::int64_t sent_ns = 0;
  std::uint32_t held_ns = 0;

  // REQUIRES: room for `bytes` at `to`.
  void write(unsigned char* to) const;
  // Nothing when it is no datagram of ours.
  static std::optional<Datagram> read(const unsigned char* from, std::size_t length);
};

}  // namespace quadrille::probe
