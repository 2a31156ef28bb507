// SPDX-License-Identifier: BSD-3-Clause
// Memory that calls need beside the user's. A thread makes one call after the other, so each has
// one set for all communicators, as large as its largest call has needed; it stays for the next.
#pragma once

#include <cstddef>
#include <memory>

namespace quadrille {

class CallBuffers {
 public:
  static CallBuffers& of_this_thread() {
    static thread_local CallBuffers buffers;
    return buffers;
  }

  // Contents are undefined; valid until the next call for more of the same.
  std::byte* scratch(std::size_t bytes) { return scratch_.grown(bytes); }
  std::byte* send_staging(std::size_t bytes) { return send_staging_.grown(bytes); }
  std::byte* receive_staging(std::size_t bytes) { return receive_staging_.grown(bytes); }

 private:
  struct Buffer {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;

    std::byte* grown(std::size_t wanted) {
      if (size < wanted) {
        bytes.reset();
        bytes = std::make_unique_for_overwrite<std::byte[]>(wanted);
        size = wanted;
      }
      return bytes.get();
    }
  };

  Buffer scratch_;
  Buffer send_staging_;
  Buffer receive_staging_;
};

}  // namespace quadrille
