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

// So many records at a time, 64 KiB of calls.
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
  std::unique_ptr<TraceFiles> files(new TraceFiles());
  files->lines_.path = stem + ".jsonl";
  files->calls_.path = stem + ".calls";
  files->phases_.path = stem + ".phases";
  for (File* file : {&files->lines_, &files->calls_, &files->phases_}) {
    file->descriptor = open_new(file->path);
    if (file->descriptor < 0)
      return Error{ErrorKind::system, file->path + " cannot be written: " + std::strerror(errno)};
  }
  return files;
}

TraceFiles::~TraceFiles() {
  // A forked child has a copy of what is held back; the mutex may be held in it for ever.
  if (getpid() == process_) flush();
  for (const File* file : {&lines_, &calls_, &phases_})
    if (file->descriptor >= 0) ::close(file->descriptor);
}

void TraceFiles::add(const CallRecord& record) {
  const std::scoped_lock lock(mutex_);
  held_calls_.push_back(record);
  if (held_calls_.size() >= kMostHeld) write_records(calls_, held_calls_);
}

void TraceFiles::add(const PhaseRecord& record) {
  const std::scoped_lock lock(mutex_);
  held_phases_.push_back(record);
  if (held_phases_.size() >= kMostHeld) write_records(phases_, held_phases_);
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
  write_records(calls_, held_calls_);
  write_records(phases_, held_phases_);
  return problem_;
}

template <typename Record>
void TraceFiles::write_records(const File& file, std::vector<Record>& held) {
  write_all(file, reinterpret_cast<const char*>(held.data()), held.size() * sizeof(Record));
  held.clear();
}

void TraceFiles::write_line(std::string line) {
  line += '\n';
  write_all(lines_, line.data(), line.size());
}

void TraceFiles::write_all(const File& file, const char* data, std::size_t length) {
  while (length > 0 && problem_.empty()) {
    const ssize_t written = ::write(file.descriptor, data, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      problem_ = file.path + ": " + std::strerror(errno);
      return;
    }
    data += written;
    length -= static_cast<std::size_t>(written);
  }
}

}  // namespace quadrille::trace
