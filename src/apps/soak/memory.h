// SPDX-License-Identifier: BSD-3-Clause
// What a process and the sockets of its host hold in memory, as the kernel's files in /proc say.
#pragma once

#include <cstdint>
#include <string>

namespace quadrille::soak {

struct Memory {
  std::int64_t resident_kib = 0;   // of this process
  std::int64_t anonymous_kib = 0;  // of that what is no file's
  std::int64_t threads = 0;
  std::int64_t sockets = 0;     // of this network namespace
  std::int64_t tcp_pages = 0;   // of 4 KiB, of all sockets of the machine
  std::int64_t udp_pages = 0;   // likewise
  std::int64_t kernel_kib = 0;  // of the machine: slabs that it cannot give back
};

// The number behind `name` in `text`, which is a word at the beginning of a line, or 0.
// `field`: a word further on in the line, in front of the number.
std::int64_t number_behind(const std::string& text, const std::string& name,
                           const std::string& field = "");

// Now; what cannot be read is 0.
Memory read_memory();

}  // namespace quadrille::soak
