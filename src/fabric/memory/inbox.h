// SPDX-License-Identifier: BSD-3-Clause
// Memory of an endpoint that the others of its host write to: a ring for each that claims one. It
// is a memfd(2), found by the process and the descriptor that the endpoint's name tells; the system
// lets in those whom it would let look into the process, and forgets it with the process.
//
// Thread rule: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fabric/memory/shared_ring.h"
#include "fabric/names/endpoint_name.h"
#include "wire/budget/sealed_memory.h"
#include "wire/links/descriptor.h"

namespace quadrille::fabric {

struct InboxHead;  // at its start

class Inbox {
 public:
  // Who comes later uses the link.
  static constexpr std::size_t rings = 64;
  static constexpr std::size_t ring_bytes = std::size_t{128} * 1024;

  // Null where the system gives none.
  static std::unique_ptr<Inbox> open(const PublicKey& owner);
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;
  ~Inbox();

  InboxPlace place() const;

  struct Claimed {
    PublicKey by{};
    RingReader ring;
  };
  // Rings that have been claimed since the last call.
  std::vector<Claimed> take_claimed();
  bool has_claimed() const;
  // From now on the owner does not look until it is told by a datagram, or does again. What has
  // been written before must be looked for after the call.
  void set_asleep(bool asleep);

 private:
  Inbox(wire::Descriptor descriptor, wire::SharedMemory memory);
  InboxHead& head() const;

  wire::Descriptor descriptor_;
  wire::SharedMemory memory_;
  std::vector<bool> taken_;  // of the rings
  std::size_t taken_count_ = 0;
};

// The ring that this endpoint has in another's inbox.
class ClaimedRing {
 public:
  // Nothing where that one has no inbox, it is not of this host, or has no ring left.
  static std::optional<ClaimedRing> claim(const EndpointName& of, const PublicKey& own);

  RingWriter& writer() { return writer_; }
  const RingWriter& writer() const { return writer_; }
  // Whether its owner is to be told of what was written.
  bool reader_is_asleep() const;

 private:
  ClaimedRing(wire::SharedMemory head, wire::SharedMemory memory, std::size_t index);

  wire::SharedMemory head_;
  wire::SharedMemory memory_;
  RingWriter writer_;
};

}  // namespace quadrille::fabric
