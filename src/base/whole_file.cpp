// SPDX-License-Identifier: BSD-3-Clause
#include "base/whole_file.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace quadrille {
namespace {

namespace files = std::filesystem;

bool write_whole(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return !file.fail();
}

}  // namespace

std::optional<std::string> read_whole_file(const std::string& path) {
  std::error_code refused;
  if (!files::is_regular_file(path, refused)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (file.bad() || !file.is_open()) return std::nullopt;
  return text;
}

// Programs that start at once on several hosts may share the folder: each writes a file of its own,
// and the last one stays.
bool replace_whole_file(const std::string& path, const std::string& text) {
  std::error_code refused;
  files::create_directories(files::path(path).parent_path(), refused);
  if (refused) return false;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::string temporary = path + "." + host.data() + "." + std::to_string(getpid());
  bool replaced = false;
  if (write_whole(temporary, text)) {
    files::rename(temporary, path, refused);
    replaced = !refused;
  }
  files::remove(temporary, refused);
  return replaced;
}

}  // namespace quadrille
