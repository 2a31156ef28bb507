// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/memory/inbox.h"

#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "wire/budget/sealed_memory.h"

namespace quadrille::fabric {

struct InboxHead {
  struct Ring {
    RingState state;
    PublicKey by;
    std::atomic<std::uint32_t> is_claimed;
  };
  std::array<char, 16> what;
  PublicKey owner;
  alignas(64) std::atomic<std::uint32_t> asleep;
  alignas(64) std::atomic<std::uint32_t> claims;
  std::array<Ring, Inbox::rings> of;
};

namespace {

constexpr std::string_view what_it_is = "quadrille inbox";
constexpr const char* file_name = "quadrille-inbox";
constexpr std::size_t page_bytes = std::size_t{64} * 1024;  // of all that there are
constexpr std::size_t head_bytes = (sizeof(InboxHead) + page_bytes - 1) / page_bytes * page_bytes;
constexpr std::size_t inbox_bytes = head_bytes + Inbox::rings * Inbox::ring_bytes;

InboxHead& head_in(const wire::SharedMemory& memory) {
  return *reinterpret_cast<InboxHead*>(memory.bytes().data());
}

// None where a number of another host's or container's process leads to something else here.
wire::Descriptor open_inbox(InboxPlace place) {
  return wire::open_sealed_memory(wire::place_of_descriptor(place.process, place.descriptor),
                                  file_name, inbox_bytes);
}

}  // namespace

std::unique_ptr<Inbox> Inbox::open(const PublicKey& owner) {
  wire::Descriptor descriptor = wire::make_sealed_memory(file_name, inbox_bytes);
  if (!descriptor) return nullptr;
  std::optional<wire::SharedMemory> memory =
      wire::SharedMemory::map(descriptor.get(), 0, inbox_bytes);
  if (!memory) return nullptr;
  InboxHead& head = head_in(*memory);
  head.owner = owner;
  head.asleep = 1;
  what_it_is.copy(head.what.data(), head.what.size());
  return std::unique_ptr<Inbox>(new Inbox(std::move(descriptor), std::move(*memory)));
}

Inbox::Inbox(wire::Descriptor descriptor, wire::SharedMemory memory)
    : descriptor_(std::move(descriptor)), memory_(std::move(memory)), taken_(rings) {}

Inbox::~Inbox() = default;

InboxHead& Inbox::head() const { return head_in(memory_); }

InboxPlace Inbox::place() const {
  return {static_cast<std::uint32_t>(getpid()), static_cast<std::uint32_t>(descriptor_.get())};
}

bool Inbox::has_claimed() const {
  return taken_count_ < rings && head().claims.load(std::memory_order_seq_cst) > taken_count_;
}

std::vector<Inbox::Claimed> Inbox::take_claimed() {
  std::vector<Claimed> found;
  for (std::size_t i = 0; i < rings; ++i) {
    InboxHead::Ring& ring = head().of[i];
    if (taken_[i] || ring.is_claimed.load(std::memory_order_seq_cst) == 0) continue;
    taken_[i] = true;
    ++taken_count_;
    const auto memory = memory_.bytes().subspan(head_bytes + i * ring_bytes, ring_bytes);
    found.push_back({ring.by, RingReader(ring.state, memory)});
  }
  return found;
}

void Inbox::set_asleep(bool asleep) {
  head().asleep.store(asleep ? 1 : 0, std::memory_order_seq_cst);
}

std::optional<ClaimedRing> ClaimedRing::claim(const EndpointName& of, const PublicKey& own) {
  if (!of.inbox) return std::nullopt;
  const wire::Descriptor descriptor = open_inbox(*of.inbox);
  if (!descriptor) return std::nullopt;
  std::optional<wire::SharedMemory> memory;
  std::size_t index = 0;
  auto head_memory = wire::SharedMemory::map(descriptor.get(), 0, head_bytes);
  if (head_memory) {
    InboxHead& head = head_in(*head_memory);
    const bool is_its =
        head.owner == of.key && std::string_view(head.what.data(), what_it_is.size()) == what_it_is;
    index = is_its ? head.claims.fetch_add(1) : Inbox::rings;
    if (index < Inbox::rings) {
      memory = wire::SharedMemory::map(descriptor.get(), head_bytes + index * Inbox::ring_bytes,
                                       Inbox::ring_bytes);
    }
  }
  if (!memory) return std::nullopt;
  InboxHead::Ring& ring = head_in(*head_memory).of[index];
  ring.by = own;
  ring.is_claimed.store(1, std::memory_order_seq_cst);
  return ClaimedRing(std::move(*head_memory), std::move(*memory), index);
}

ClaimedRing::ClaimedRing(wire::SharedMemory head, wire::SharedMemory memory, std::size_t index)
    : head_(std::move(head)),
      memory_(std::move(memory)),
      writer_(head_in(head_).of[index].state, memory_.bytes()) {}

bool ClaimedRing::reader_is_asleep() const {
  return head_in(head_).asleep.load(std::memory_order_seq_cst) != 0;
}

}  // namespace quadrille::fabric
