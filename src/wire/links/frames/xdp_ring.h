// SPDX-License-Identifier: BSD-3-Clause
// A ring of an AF_XDP socket in memory that the kernel and this process have in common (Linux,
// networking/af_xdp): one of both puts entries in and moves the producer's number on, the other
// takes them and moves the consumer's. Numbers run on, and wrap.
//
// Thread rule: one thread at a time, beside the kernel.
#pragma once

#include <linux/if_xdp.h>
#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace quadrille::wire {

// Where the kernel has the ring, and how many entries (a power of two).
struct XdpRingPlace {
  int descriptor = -1;
  std::uint64_t offset = 0;
  xdp_ring_offset inside{};
  std::uint32_t entries = 0;
};

template <typename Entry>
class XdpRing {
 public:
  XdpRing() = default;
  XdpRing(const XdpRing&) = delete;
  XdpRing& operator=(const XdpRing&) = delete;
  ~XdpRing() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
  }

  // False, with errno set, where it cannot be mapped. REQUIRES: once.
  bool map(const XdpRingPlace& place) {
    bytes_ = place.inside.desc + place.entries * sizeof(Entry);
    void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                        place.descriptor, static_cast<off_t>(place.offset));
    if (mapped == MAP_FAILED) return false;
    memory_ = static_cast<std::byte*>(mapped);
    producer_ = reinterpret_cast<std::uint32_t*>(memory_ + place.inside.producer);
    consumer_ = reinterpret_cast<std::uint32_t*>(memory_ + place.inside.consumer);
    flags_ = reinterpret_cast<std::uint32_t*>(memory_ + place.inside.flags);
    entries_ = reinterpret_cast<Entry*>(memory_ + place.inside.desc);
    mask_ = place.entries - 1;
    return true;
  }

  // Of a ring that this process takes from: the kernel may have a released entry anew.
  bool has_next() const { return next_ != at(producer_).load(std::memory_order_acquire); }
  // REQUIRES: has_next().
  const Entry& next() { return entries_[next_++ & mask_]; }
  void release() { at(consumer_).store(next_, std::memory_order_release); }

  // Of one that it puts into: the kernel sees entries once they are published.
  // REQUIRES: there is room, which is the caller's to know.
  void put(const Entry& entry) { entries_[next_++ & mask_] = entry; }
  void publish() { at(producer_).store(next_, std::memory_order_release); }
  // Published, and not taken yet.
  std::uint32_t untaken() const { return next_ - at(consumer_).load(std::memory_order_acquire); }

  // Whether the kernel looks at the ring only when it is told to.
  bool needs_wakeup() const {
    return (at(flags_).load(std::memory_order_relaxed) & XDP_RING_NEED_WAKEUP) != 0;
  }

 private:
  static std::atomic_ref<std::uint32_t> at(std::uint32_t* number) {
    return std::atomic_ref<std::uint32_t>(*number);
  }

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::uint32_t* producer_ = nullptr;
  std::uint32_t* consumer_ = nullptr;
  std::uint32_t* flags_ = nullptr;
  Entry* entries_ = nullptr;
  std::uint32_t mask_ = 0;
  std::uint32_t next_ = 0;  // to take or put
};

}  // namespace quadrille::wire
