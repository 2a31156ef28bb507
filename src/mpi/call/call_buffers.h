// SPDX-License-Identifier: BSD-3-Clause
// Memory that calls need beside the user's. A thread makes one call after the other, so each has
// one set for all communicators; it stays for the next.
#pragma once

#include <cstddef>

#include "base/kept_buffer.h"

namespace quadrille {

class CallBuffers {
 public:
  static CallBuffers& of_this_thread() {
    static thread_local CallBuffers buffers;
    return buffers;
  }

  // Contents are undefined; valid until the next call for more of the same.
  std::byte* scratch(std::size_t bytes) { return scratch_.use(bytes); }
  std::byte* send_staging(std::size_t bytes) { return send_staging_.use(bytes); }
  std::byte* receive_staging(std::size_t bytes) { return receive_staging_.use(bytes); }
  // Copies of the user's buffers in device memory.
  std::byte* sent_by_device(std::size_t bytes) { return sent_by_device_.use(bytes); }
  std::byte* received_by_device(std::size_t bytes) { return received_by_device_.use(bytes); }

 private:
  KeptBuffer scratch_;
  KeptBuffer send_staging_;
  KeptBuffer receive_staging_;
  KeptBuffer sent_by_device_;
  KeptBuffer received_by_device_;
};

}  // namespace quadrille
