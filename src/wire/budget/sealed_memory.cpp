// SPDX-License-Identifier: BSD-3-Clause
#include "wire/budget/sealed_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace quadrille::wire {
namespace {

constexpr int fixed_size = F_SEAL_SHRINK | F_SEAL_GROW;

// Else the kernel ends who makes a file so long (SIGXFSZ).
bool may_be_so_long(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= bytes;
}

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

// Never to be executed, which systems may ask for (vm.memfd_noexec, Linux 6.3); older ones do not
// know the flag.
Descriptor make_memory(const std::string& name) {
  constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  Descriptor made(memfd_create(name.c_str(), flags | MFD_NOEXEC_SEAL));
  if (!made && errno == EINVAL) made = Descriptor(memfd_create(name.c_str(), flags));
  return made;
}

}  // namespace

Descriptor make_sealed_memory(const std::string& name, std::size_t bytes) {
  if (!may_be_so_long(bytes)) return {};
  Descriptor made = make_memory(name);
  const bool is_whole = made && ftruncate(made.get(), static_cast<off_t>(bytes)) == 0 &&
                        fcntl(made.get(), F_ADD_SEALS, fixed_size) == 0;
  return is_whole ? std::move(made) : Descriptor();
}

std::filesystem::path place_of_descriptor(std::int64_t process, std::int64_t descriptor) {
  return "/proc/" + std::to_string(process) + "/fd/" + std::to_string(descriptor);
}

Descriptor open_sealed_memory(const std::filesystem::path& place, const std::string& name,
                              std::size_t bytes) {
  std::error_code gone;
  const auto target = std::filesystem::read_symlink(place, gone).native();
  if (gone || !target.starts_with("/memfd:" + name)) return {};
  Descriptor opened(::open(place.c_str(), O_RDWR | O_CLOEXEC));
  struct stat file {};
  const int seals = opened ? fcntl(opened.get(), F_GET_SEALS) : -1;  // negative: of what has none
  const bool is_right = seals >= 0 && (seals & fixed_size) == fixed_size &&
                        fstat(opened.get(), &file) == 0 &&
                        static_cast<std::size_t>(file.st_size) == bytes;
  return is_right ? std::move(opened) : Descriptor();
}

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

}  // namespace quadrille::wire
