// SPDX-License-Identifier: BSD-3-Clause
// Who may speak: every packet carries a keyed tag over all its bytes and over its whole number, of
// which it holds the lower bits only. Outsiders on the network cannot inject, alter or replay
// packets, nor send them on to another endpoint; nothing is secret; ranks of one job trust each
// other.
//
// SipHash-2-4 (J.-P. Aumasson, D. J. Bernstein, INDOCRYPT 2012, doi:10.1007/978-3-642-34931-7_28)
// with a key for each direction of each pair, and for each sender to each group, which BLAKE2b
// derives from the job's secret.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/packet.h"
#include "wire/sequence.h"

namespace quadrille::wire {

using Secret = std::array<std::byte, 16>;  // of the job
using Key = std::array<std::byte, 16>;

// REQUIRES: called once before anything else here; false where libsodium cannot start, or OpenSSL
// does not do what runs of packets need.
bool start_authentication();

Key key_between(const Secret& secret, EndpointId from, EndpointId to);
// For what goes to all of a group at once. `members` in the order that all of them know it in;
// another group of the same sender has another key.
Key key_of_group(const Secret& secret, EndpointId from, std::span<const EndpointId> members);

// For the tags of runs (RunSeal) whose headers are sealed by `key`, one of these.
Key run_key(const Secret& secret, const Key& key);

// Fills the last `tag_bytes` of the packet. `number` is its whole sequence or running number.
void seal(const Key& key, Sequence number, std::span<std::byte> packet);
// The packet's tag is overwritten meanwhile, and put back. REQUIRES: at least `tag_bytes`.
bool is_sealed(const Key& key, Sequence number, std::span<std::byte> packet);
// The same over the packet's header alone. REQUIRES: at least `overhead_bytes`.
void seal_header(const Key& key, Sequence number, std::span<std::byte> packet);
bool is_header_sealed(const Key& key, Sequence number, std::span<const std::byte> packet);

}  // namespace quadrille::wire
