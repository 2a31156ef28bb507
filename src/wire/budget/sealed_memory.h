// SPDX-License-Identifier: BSD-3-Clause
// Memory that processes share by a file, memfd(2), of a size that nobody can change: what is mapped
// stays there. Others find it by the process that keeps it open; the system lets in those whom it
// would let look into that process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "wire/links/descriptor.h"

namespace quadrille::wire {

// Zeroed. None where the system gives none, or no file may be so long (setrlimit(2)).
Descriptor make_sealed_memory(const std::string& name, std::size_t bytes);

// Where others find what `process` keeps open as `descriptor`.
std::filesystem::path place_of_descriptor(std::int64_t process, std::int64_t descriptor);

// Opens anew what `place`, a /proc/PROCESS/fd/NUMBER, leads to; none unless that was made with a
// name that begins so and the same size. Nothing else is opened for writing.
Descriptor open_sealed_memory(const std::filesystem::path& place, const std::string& name,
                              std::size_t bytes);

// A mapping; unmapped with its owner.
class SharedMemory {
 public:
  SharedMemory() = default;
  // Nothing where the system has no room for it. REQUIRES: `offset` is of whole pages.
  static std::optional<SharedMemory> map(int descriptor, std::size_t offset, std::size_t bytes);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

}  // namespace quadrille::wire
