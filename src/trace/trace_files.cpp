// SPDX-License-Identifier: BSD-3-Clause
#include "trace/trace_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

namespace quadrille::trace {
namespace {

// 64 KiB of records at a time.
constexpr std::size_t kMostHeld = 1024;

int open_new(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

const char* name_of(TraceFiles::Kind kind) {
  switch (kind) {
    case TraceFiles::Kind::function:
      return "function";
    case TraceFiles::Kind::algorithm:
      return "algorithm";
    case TraceFiles::Kind::site:
      return "site";
  }
  return "";
}

}  // namespace

Result<std::unique_ptr<TraceFiles>> TraceFiles::open(const std::string& folder,
                                                     std::uint32_t rank) {
  std::error_code made;
  std::filesystem::create_directories(folder, made);
  char name[32];
  std::snprintf(name, sizeof name, "/rank-%05u", rank);
  const std::string stem = folder + name;
  const int lines = open_new(stem + ".jsonl");
  const int calls = lines < 0 ? -1 : open_new(stem + ".calls");
  if (calls < 0) {
    const std::string why = std::strerror(errno);
    if (lines >= 0) ::close(lines);
    return Error{ErrorKind::system, stem + " cannot be written: " + why};
  }
  return std::unique_ptr<TraceFiles>(new TraceFiles(stem, calls, lines));
}

TraceFiles::~TraceFiles() {
  flush();
  ::close(calls_);
  ::close(lines_);
}

void TraceFiles::add(const CallRecord& record) {
  const std::scoped_lock lock(mutex_);
  held_.push_back(record);
  if (held_.size() >= kMostHeld) write_records();
}

std::uint16_t TraceFiles::number_of(Kind kind, const std::string& name) {
  const std::scoped_lock lock(mutex_);
  auto& numbers = numbers_[static_cast<std::size_t>(kind)];
  const auto found = numbers.find(name);
  if (found != numbers.end()) return found->second;
  constexpr std::size_t last = std::numeric_limits<std::uint16_t>::max();
  if (numbers.size() >= last) return static_cast<std::uint16_t>(last);
  const auto number = static_cast<std::uint16_t>(numbers.size());
  numbers.emplace(name, number);
  write_line(nlohmann::json{{"type", name_of(kind)}, {"number", number}, {"name", name}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace));
  return number;
}

void TraceFiles::tell(const std::string& line) {
  const std::scoped_lock lock(mutex_);
  write_line(line);
}

std::string TraceFiles::flush() {
  const std::scoped_lock lock(mutex_);
  write_records();
  return problem_;
}

void TraceFiles::write_records() {
  write_all(calls_, reinterpret_cast<const char*>(held_.data()), held_.size() * sizeof held_[0]);
  held_.clear();
}

void TraceFiles::write_line(std::string line) {
  line += '\n';
  write_all(lines_, line.data(), line.size());
}

void TraceFiles::write_all(int file, const char* data, std::size_t length) {
  while (length > 0 && problem_.empty()) {
    const ssize_t written = ::write(file, data, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      problem_ = stem_ + (file == calls_ ? ".calls: " : ".jsonl: ") + std::strerror(errno);
      return;
    }
    data += written;
    length -= static_cast<std::size_t>(written);
  }
}

}  // namespace quadrille::trace
