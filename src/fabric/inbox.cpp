// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/inbox.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

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
constexpr std::string_view file_name = "quadrille-inbox";
constexpr std::size_t page_bytes = std::size_t{64} * 1024;  // of all that there are
constexpr std::size_t head_bytes = (sizeof(InboxHead) + page_bytes - 1) / page_bytes * page_bytes;
constexpr std::size_t inbox_bytes = head_bytes + Inbox::rings * Inbox::ring_bytes;
constexpr int fixed_size = F_SEAL_SHRINK | F_SEAL_GROW;

// Else the kernel ends who makes a file so long (SIGXFSZ, setrlimit(2)).
bool may_be_so_long(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= bytes;
}

InboxHead& head_in(const SharedMemory& memory) {
  return *reinterpret_cast<InboxHead*>(memory.bytes().data());
}

// Its descriptor, or -1. What a number of another host's or container's process leads to here is
// not opened unless it is somebody's inbox.
int open_inbox(InboxPlace place) {
  const std::string path =
      "/proc/" + std::to_string(place.process) + "/fd/" + std::to_string(place.descriptor);
  std::array<char, 64> target{};
  if (readlink(path.c_str(), target.data(), target.size() - 1) < 0) return -1;
  if (!std::string_view(target.data()).starts_with("/memfd:" + std::string(file_name))) return -1;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return -1;
  struct stat found {};
  const int seals = fcntl(descriptor, F_GET_SEALS);  // negative: of what has none
  const bool is_right = fstat(descriptor, &found) == 0 &&
                        static_cast<std::size_t>(found.st_size) == inbox_bytes && seals >= 0 &&
                        (seals & fixed_size) == fixed_size;
  if (is_right) return descriptor;
  close(descriptor);
  return -1;
}

}  // namespace

std::optional<SharedMemory> SharedMemory::map(int descriptor, std::size_t offset,
                                              std::size_t bytes) {
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                     static_cast<off_t>(offset));
  if (start == MAP_FAILED) return std::nullopt;
  SharedMemory made;
  made.bytes_ = {static_cast<std::byte*>(start), bytes};
  return made;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

std::unique_ptr<Inbox> Inbox::open(const PublicKey& owner) {
  if (!may_be_so_long(inbox_bytes)) return nullptr;
  const int descriptor =
      memfd_create(std::string(file_name).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return nullptr;
  std::optional<SharedMemory> memory;
  if (ftruncate(descriptor, static_cast<off_t>(inbox_bytes)) == 0 &&
      fcntl(descriptor, F_ADD_SEALS, fixed_size) == 0) {
    memory = SharedMemory::map(descriptor, 0, inbox_bytes);
  }
  if (!memory) {
    close(descriptor);
    return nullptr;
  }
  InboxHead& head = head_in(*memory);
  head.owner = owner;
  head.asleep = 1;
  what_it_is.copy(head.what.data(), head.what.size());
  return std::unique_ptr<Inbox>(new Inbox(descriptor, std::move(*memory)));
}

Inbox::Inbox(int descriptor, SharedMemory memory)
    : descriptor_(descriptor), memory_(std::move(memory)), taken_(rings) {}

Inbox::~Inbox() { close(descriptor_); }

InboxHead& Inbox::head() const { return head_in(memory_); }

InboxPlace Inbox::place() const {
  return {static_cast<std::uint32_t>(getpid()), static_cast<std::uint32_t>(descriptor_)};
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
  const int descriptor = open_inbox(*of.inbox);
  if (descriptor < 0) return std::nullopt;
  std::optional<SharedMemory> memory;
  std::size_t index = 0;
  auto head_memory = SharedMemory::map(descriptor, 0, head_bytes);
  if (head_memory) {
    InboxHead& head = head_in(*head_memory);
    const bool is_its =
        head.owner == of.key && std::string_view(head.what.data(), what_it_is.size()) == what_it_is;
    index = is_its ? head.claims.fetch_add(1) : Inbox::rings;
    if (index < Inbox::rings) {
      memory =
          SharedMemory::map(descriptor, head_bytes + index * Inbox::ring_bytes, Inbox::ring_bytes);
    }
  }
  close(descriptor);
  if (!memory) return std::nullopt;
  InboxHead::Ring& ring = head_in(*head_memory).of[index];
  ring.by = own;
  ring.is_claimed.store(1, std::memory_order_seq_cst);
  return ClaimedRing(std::move(*head_memory), std::move(*memory), index);
}

ClaimedRing::ClaimedRing(SharedMemory head, SharedMemory memory, std::size_t index)
    : head_(std::move(head)),
      memory_(std::move(memory)),
      writer_(head_in(head_).of[index].state, memory_.bytes()) {}

bool ClaimedRing::reader_is_asleep() const {
  return head_in(head_).asleep.load(std::memory_order_seq_cst) != 0;
}

}  // namespace quadrille::fabric
