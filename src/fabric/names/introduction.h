// SPDX-License-Identifier: BSD-3-Clause
// The datagram by which an endpoint makes itself known to one that may not have it in its address
// vector: MPI libraries insert a peer when they first send to it, and may be sent to before. It
// precedes an endpoint's packets until something authentic comes back.
//
//   offset  width  in the datagram
//   0       1      0xf1: no version of the wire's packets
//   1       54     name of who sends it
//   55      16     BLAKE2b of the bytes before and the receiver's name, keyed with what both share
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "fabric/names/endpoint_name.h"
#include "wire/seal/keys.h"

namespace quadrille::fabric {

constexpr std::size_t introduction_bytes = 1 + name_bytes + 16;

// A farewell has the same form, and says that its sender counts the receiver as dead.
bool is_farewell(std::span<const std::byte> datagram);
bool is_introduction(std::span<const std::byte> datagram);
// REQUIRES: room for introduction_bytes. `secret` is what sender and receiver share.
void write_introduction(const EndpointName& sender, const EndpointName& receiver,
                        const wire::Secret& secret, std::span<std::byte> room);
void write_farewell(const EndpointName& sender, const EndpointName& receiver,
                    const wire::Secret& secret, std::span<std::byte> room);
// The name that is claimed. REQUIRES: is_introduction(), or is_farewell(); so below.
std::optional<EndpointName> claimed_name(std::span<const std::byte> datagram);
// Whether the claim is that of a holder of `secret`.
bool is_genuine(std::span<const std::byte> datagram, const EndpointName& receiver,
                const wire::Secret& secret);

}  // namespace quadrille::fabric
