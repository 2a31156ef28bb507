// SPDX-License-Identifier: BSD-3-Clause
// Who may speak, and who may read: a key for each direction of each pair of endpoints, and for each
// sender to each group, which BLAKE2b derives from the job's secret. Ranks of one job trust each
// other.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "wire/packet.h"

namespace quadrille::wire {

using Secret = std::array<std::byte, 16>;  // of the job
// Each cipher has a part of its own, see packet_seal.cpp.
using Key = std::array<std::byte, 64>;

// REQUIRES: called before anything else of wire/seal; false where libsodium or libaegis cannot
// start. Takes some 50 us at first, in which it finds out which cipher is the fastest here.
bool start_cryptography();

// What a job's wire is keyed by that starts with `drawn`, random and public: another start of a job
// of the same secret, such as a launcher's next, never seals another packet by the same nonce.
Secret secret_of_start(const Secret& job, const Secret& drawn);

Key key_between(const Secret& secret, EndpointId from, EndpointId to);
// For what goes to all of a group at once. `members` in the order that all of them know it in;
// another group of the same sender has another key.
Key key_of_group(const Secret& secret, EndpointId from, std::span<const EndpointId> members);

}  // namespace quadrille::wire
