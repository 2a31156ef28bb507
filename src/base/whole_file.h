// SPDX-License-Identifier: BSD-3-Clause
// Files that several programs, on several hosts, read and replace.
#pragma once

#include <optional>
#include <string>

namespace quadrille {

// Nothing where there is no such regular file, or it cannot be read.
std::optional<std::string> read_whole_file(const std::string& path);
// Replaces the file as a whole: whoever reads meanwhile sees the old one or the new one. Makes its
// folder where there is none. False where that cannot be.
bool replace_whole_file(const std::string& path, const std::string& text);

}  // namespace quadrille
