// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/timed_calls.h"

#include <algorithm>
#include <bit>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/monotonic_clock.h"
#include "mpi/call/last_execution.h"
#include "mpi/intercept/fortran_handles.h"

namespace quadrille {
namespace {

bool is_fortran(const quadrille_timed_function& function) {
  return function.binding == QUADRILLE_TIMED_FORTRAN;
}

bool completes(const quadrille_timed_function& function) {
  return function.kind == QUADRILLE_TIMED_COMPLETION ||
         function.kind == QUADRILLE_TIMED_COMPLETION_OF_VALUE;
}

const char* part_of(const quadrille_timed_function& function) {
  switch (function.kind) {
    case QUADRILLE_TIMED_COLLECTIVE:
    case QUADRILLE_TIMED_NONBLOCKING_COLLECTIVE:
      if (std::string_view(function.name).find("eighbor") != std::string_view::npos)
        return "neighbourhood collectives";
      return function.kind == QUADRILLE_TIMED_COLLECTIVE ? "collectives"
                                                         : "nonblocking collectives";
    case QUADRILLE_TIMED_ONE_SIDED:
      return one_sided_part;
    case QUADRILLE_TIMED_IO:
      return "MPI-IO";
    case QUADRILLE_TIMED_COMMUNICATORS:
      return "communicators";
    case QUADRILLE_TIMED_POINT_TO_POINT:
    case QUADRILLE_TIMED_COMPLETION:
    case QUADRILLE_TIMED_COMPLETION_OF_VALUE:
      break;
  }
  return point_to_point_part;
}

// The handle's bits; those of Fortran's numbers are apart from those of C's.
template <typename Handle>
std::uint64_t key_of(Handle request) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(request);
  } else {
    return static_cast<std::uint32_t>(request);
  }
}
std::uint64_t fortran_key_of(int request) {
  return std::uint64_t{1} << 63U | static_cast<std::uint32_t>(request);
}

template <typename T>
const T* pointer_in(const quadrille_timed_call& call, int place) {
  return reinterpret_cast<const T*>(call.words[place]);
}

// A handle or number that is passed as a word.
template <typename T>
T value_in(const quadrille_timed_call& call, int place) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(call.words[place]);
  } else {
    return static_cast<T>(call.words[place]);
  }
}

std::uint64_t number_of_requests(const quadrille_timed_call& call) {
  const quadrille_timed_function& function = *call.function;
  if (function.requests < 0) return 1;
  const int count = is_fortran(function) ? *pointer_in<int>(call, function.requests)
                                         : value_in<int>(call, function.requests);
  return static_cast<std::uint64_t>(std::max(count, 0));
}

// As they stand now, those that are null among them.
std::vector<std::uint64_t> requests_in(const quadrille_timed_call& call) {
  const quadrille_timed_function& function = *call.function;
  std::vector<std::uint64_t> keys;
  if (is_fortran(function)) {
    if (!fortran_is_readable()) return keys;
  } else if (function.kind == QUADRILLE_TIMED_COMPLETION_OF_VALUE) {
    keys.push_back(key_of(value_in<MPI_Request>(call, function.request)));
    return keys;
  }
  if (call.words[function.request] == 0) return keys;  // an error that the MPI library reports
  for (std::uint64_t i = 0; i < number_of_requests(call); ++i) {
    keys.push_back(is_fortran(function)
                       ? fortran_key_of(pointer_in<int>(call, function.request)[i])
                       : key_of(pointer_in<MPI_Request>(call, function.request)[i]));
  }
  return keys;
}

bool is_null(std::uint64_t key) {
  return key == key_of(MPI_REQUEST_NULL) ||
         key == fortran_key_of(fortran_request_of(MPI_REQUEST_NULL));
}

// REQUIRES: the call has succeeded, so that its type is one.
std::uint64_t bytes_of(const quadrille_timed_call& call) {
  const quadrille_timed_function& function = *call.function;
  const int place = std::countr_zero(function.counts);
  std::int64_t count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (is_fortran(function)) {
    if (!fortran_is_readable()) return 0;
    count = *pointer_in<int>(call, place);
    type = datatype_of(pointer_in<int>(call, place + 1));
  } else {
    count = function.binding == QUADRILLE_TIMED_C_LARGE ? value_in<std::int64_t>(call, place)
                                                        : value_in<int>(call, place);
    type = value_in<MPI_Datatype>(call, place + 1);
  }
  int size = 0;
  if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS)
    return 0;
  return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(std::max(size, 0));
}

// REQUIRES: the call sends a message.
void note_partner(const quadrille_timed_call& call, Partners& partners) {
  const quadrille_timed_function& function = *call.function;
  const std::string_view name(function.name);
  const int count = std::countr_zero(function.counts);
  int communicator = count + 4;  // behind type, destination and tag
  if (name.ends_with("endrecv")) communicator = count + 9;
  if (name.ends_with("endrecv_replace")) communicator = count + 6;
  if (is_fortran(function)) {
    if (fortran_is_readable())
      partners.note(communicator_of(pointer_in<int>(call, communicator)),
                    *pointer_in<int>(call, count + 2));
  } else {
    partners.note(value_in<MPI_Comm>(call, communicator), value_in<int>(call, count + 2));
  }
}

}  // namespace

bool sends_message(std::string_view name) { return name.find("end") != std::string_view::npos; }

struct TimedCalls::OfThread {
  const void* site = nullptr;
  std::uint64_t executions = 0;  // the thread's collectives before the call
  Origin origin;                 // of the requests that it completes
  std::vector<std::uint64_t> given;
};

TimedCalls::OfThread& TimedCalls::of_thread() {
  static thread_local OfThread state;
  return state;
}

const void* TimedCalls::site() { return of_thread().site; }

void TimedCalls::begin(quadrille_timed_call& call) noexcept try {
  OfThread& state = of_thread();
  state.site = call.site;
  state.executions = last_execution.count;
  state.given.clear();
  state.origin = {point_to_point_part, library_};
  if (completes(*call.function) && count_.load(std::memory_order_acquire) > 0) {
    state.given = requests_in(call);
    state.origin = origin_of(state.given);
  }
  call.began_ns = monotonic_now().value;
} catch (const std::bad_alloc&) {
  call.began_ns = 0;
}

void TimedCalls::end(const quadrille_timed_call& call, int code) noexcept try {
  const std::int64_t now_ns = monotonic_now().value;
  OfThread& state = of_thread();
  state.site = nullptr;
  if (call.began_ns != 0) add(call, code, now_ns - call.began_ns);
} catch (const std::bad_alloc&) {
  of_thread().given.clear();  // this one is not counted
}

void TimedCalls::add(const quadrille_timed_call& call, int code, std::int64_t time_ns) {
  const quadrille_timed_function& function = *call.function;
  const OfThread& state = of_thread();
  const bool is_counted = last_execution.count != state.executions;
  const Origin origin = completes(function) ? state.origin : origin_of(function);
  const bool succeeded = is_fortran(function) || code == MPI_SUCCESS;
  std::uint64_t bytes = 0;
  if (function.counts != 0 && succeeded) bytes = bytes_of(call);
  if (notes_messages_ && succeeded && part_of(function) == point_to_point_part) note_message(call);
  if (function.kind == QUADRILLE_TIMED_NONBLOCKING_COLLECTIVE && is_counted)
    bytes = last_execution.nonblocking_bytes;
  times_.add({function.name, origin.part, call.site, origin.executed_by}, bytes, time_ns);
  if (completes(function)) {
    if (!state.given.empty()) forget_completed(state.given, call);
  } else if (function.request >= 0 && succeeded) {
    for (const std::uint64_t request : requests_in(call)) note_made(request, origin);
  }
}

// REQUIRES: the call has succeeded, and is a point-to-point one or a completion.
void TimedCalls::note_message(const quadrille_timed_call& call) {
  const std::string_view name(call.function->name);
  if (sends_message(name) && call.function->counts != 0) {
    note_partner(call, partners_);
    if (has_waited_.exchange(false, std::memory_order_relaxed))
      groups_.fetch_add(1, std::memory_order_relaxed);
  }
  const bool begins_only = call.function->request >= 0 && !completes(*call.function);
  const bool is_plain_send = sends_message(name) && !name.starts_with("MPI_Sendrecv");
  if (!begins_only && !is_plain_send) has_waited_.store(true, std::memory_order_relaxed);
}

// The last thing that a collective does on its thread is to say who has executed it.
TimedCalls::Origin TimedCalls::origin_of(const quadrille_timed_function& function) {
  const bool is_ours = last_execution.count != of_thread().executions && !last_execution.by_library;
  return {part_of(function), is_ours ? times_.name(last_execution.algorithm.data()) : library_};
}

// Those of messages are not kept.
TimedCalls::Origin TimedCalls::origin_of(const std::vector<std::uint64_t>& requests) {
  const Origin messages{point_to_point_part, library_};
  std::optional<Origin> all;
  const std::scoped_lock lock(mutex_);
  for (const std::uint64_t request : requests) {
    if (is_null(request)) continue;
    const auto found = made_.find(request);
    const Origin one = found == made_.end() ? messages : found->second;
    if (all && *all != one) return {"of several kinds", library_};
    all = one;
  }
  return all.value_or(messages);
}

void TimedCalls::note_made(std::uint64_t request, const Origin& origin) {
  const bool is_message = origin.part == point_to_point_part;
  if (is_null(request) || (is_message && count_.load(std::memory_order_acquire) == 0)) return;
  const std::scoped_lock lock(mutex_);
  if (is_message) {
    made_.erase(request);  // the handle of one that was completed unseen
  } else {
    made_[request] = origin;
  }
  count_.store(made_.size(), std::memory_order_release);
}

// A persistent one keeps its handle until it is freed.
void TimedCalls::forget_completed(const std::vector<std::uint64_t>& given,
                                  const quadrille_timed_call& call) {
  const std::vector<std::uint64_t> left = requests_in(call);
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < std::min(given.size(), left.size()); ++i) {
    if (left[i] != given[i]) made_.erase(given[i]);
  }
  count_.store(made_.size(), std::memory_order_release);
}

}  // namespace quadrille
