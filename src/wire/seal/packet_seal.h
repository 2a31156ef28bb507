// SPDX-License-Identifier: BSD-3-Clause
// What makes a packet authentic and its body secret: authenticated encryption, which also is the
// copy of the body from the sender's memory into the packet. Outsiders on the network cannot read,
// inject, alter or replay packets, nor send them on to another endpoint.
//
// A nonce is made of all that tells two packets under one key apart: kind, channel, whole number,
// and of data what it reports. So equal nonces mean equal packets, such as a packet that goes again
// with nothing new to report. See docs/wire_format.md.
//
// Thread rule: any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/flow/sequence.h"
#include "wire/packet.h"
#include "wire/seal/keys.h"

namespace quadrille::wire {

// What the header holds the lower bits of.
struct WholeNumbers {
  std::uint64_t number = 0;  // data: its sequence number; ACK: its running number
  // Of data to one endpoint: of what it acknowledges. So one that was held up for long acknowledges
  // nothing that it did not mean.
  Sequence acknowledged = 0;
};

// Writes the whole packet and returns its length. `header.cipher` is not looked at. `body` may be
// where it goes to, `header_bytes` into `room`. REQUIRES: room for it.
std::size_t seal(const Key& key, const Header& header, const WholeNumbers& numbers,
                 std::span<const std::byte> body, std::span<std::byte> room);
// Decrypts the body to `to`, which may be where it is; false: the packet is not authentic, and what
// stands there is of no use. REQUIRES: parse_packet() has taken it; room for its body.
bool unseal(const Key& key, const Header& header, const WholeNumbers& numbers,
            std::span<const std::byte> packet, std::byte* to);

// Part of start_cryptography(): what seal() uses is the fastest here.
bool start_ciphers();
// For tests and measurements: another one.
void seal_by(Cipher cipher);
Cipher sealed_by();

}  // namespace quadrille::wire
