// SPDX-License-Identifier: BSD-3-Clause
// How long the program's MPI calls take, of all kinds: what libquadrille-timing.so tells of them
// (preload/timing.h), summed up. A function that completes requests counts as what has made them;
// of an array with requests of several kinds nothing more is known than that.
//
// Thread rule: any thread.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi/communicator/partners.h"
#include "preload/timing.h"
#include "trace/call_times.h"

namespace quadrille {

// What sums are called of point-to-point messages, and of waits for them.
inline constexpr const char* point_to_point_part = "point-to-point";
inline constexpr const char* one_sided_part = "one-sided";
// Whether function `name` of point-to-point messages sends one.
bool sends_message(std::string_view name);

class TimedCalls {
 public:
  // `notes_messages`: partners() and groups_of_sends() are wanted.
  explicit TimedCalls(bool notes_messages) : notes_messages_(notes_messages) {}
  void begin(quadrille_timed_call& call) noexcept;
  void end(const quadrille_timed_call& call, int code) noexcept;
  std::vector<std::pair<trace::CallTimes::Kind, trace::CallTimes::Sum>> sums() const {
    return times_.sums();
  }

  std::vector<int> partners() const { return partners_.world_ranks(); }
  // How often the program has sent something after it had waited, or asked, for something: what it
  // sends in between may be under way at once.
  std::uint64_t groups_of_sends() const { return groups_.load(std::memory_order_relaxed); }

  // Where the program has made the timed call that this thread is in; null where there is none.
  static const void* site();

 private:
  // What has made a request.
  struct Origin {
    const char* part = "";
    const std::string* executed_by = nullptr;

    bool operator==(const Origin&) const = default;
  };
  struct OfThread;
  static OfThread& of_thread();

  Origin origin_of(const quadrille_timed_function& function);
  Origin origin_of(const std::vector<std::uint64_t>& requests);
  void note_made(std::uint64_t request, const Origin& origin);
  void forget_completed(const std::vector<std::uint64_t>& given, const quadrille_timed_call& call);
  void add(const quadrille_timed_call& call, int code, std::int64_t time_ns);
  void note_message(const quadrille_timed_call& call);

  const bool notes_messages_;
  trace::CallTimes times_;
  const std::string* const library_ = times_.name("mpi");
  std::mutex mutex_;
  // All but those of point-to-point messages.
  std::unordered_map<std::uint64_t, Origin> made_;
  std::atomic<std::size_t> count_{0};  // of them
  Partners partners_;
  std::atomic<std::uint64_t> groups_{0};
  std::atomic<bool> has_waited_{true};  // since the last send
};

}  // namespace quadrille
