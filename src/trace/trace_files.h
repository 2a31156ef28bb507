// SPDX-License-Identifier: BSD-3-Clause
// The files of a rank's trace: FOLDER/rank-00007.calls, CallRecords one behind the other,
// FOLDER/rank-00007.phases, PhaseRecords, and FOLDER/rank-00007.jsonl, a line for each name that
// they use, and whatever else is known of the rank. Each name's line is written before the first
// record that uses it, so that what a killed job leaves can be read.
//
// Where the disk is full, what was written stays, and nothing is written any more.
//
// Thread rule: any thread.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.h"
#include "trace/call_record.h"
#include "trace/phase_record.h"

namespace quadrille::trace {

class TraceFiles {
 public:
  // What a name is of; each kind is numbered from 0 by itself.
  enum class Kind : std::uint8_t { function, algorithm, site };

  // Makes the folder where it is missing. Files of an earlier job of as many ranks are overwritten.
  static Result<std::unique_ptr<TraceFiles>> open(const std::string& folder, std::uint32_t rank);
  ~TraceFiles();
  TraceFiles(const TraceFiles&) = delete;
  TraceFiles& operator=(const TraceFiles&) = delete;

  void add(const CallRecord& record);
  void add(const PhaseRecord& record);
  // The name's number, told where it is new; the last there can be stands for all that come later.
  std::uint16_t number_of(Kind kind, const std::string& name);
  // A line of JSON.
  void tell(const std::string& line);
  // Writes what is held back. Why nothing is written any more; empty where all was.
  std::string flush();

 private:
  struct File {
    std::string path;
    int descriptor = -1;
  };

  TraceFiles() = default;
  template <typename Record>
  void write_records(const File& file, std::vector<Record>& held);
  void write_line(std::string line);
  void write_all(const File& file, const char* data, std::size_t length);

  const pid_t process_ = getpid();
  std::mutex mutex_;
  File calls_;
  File phases_;
  File lines_;
  std::vector<CallRecord> held_calls_;
  std::vector<PhaseRecord> held_phases_;
  std::map<std::string, std::uint16_t> numbers_[3];
  std::string problem_;
};

}  // namespace quadrille::trace
