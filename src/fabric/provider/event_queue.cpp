// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/provider/event_queue.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "fabric/provider/objects.h"

namespace quadrille::fabric {
namespace {

struct Event {
  std::uint32_t number = 0;
  std::vector<std::byte> bytes;
};

struct EventQueue : public fid_eq {
  std::mutex mutex;
  std::condition_variable written;
  std::deque<Event> events;
};

EventQueue& of(fid_eq* queue) { return *static_cast<EventQueue*>(queue); }

ssize_t take(EventQueue& queue, std::uint32_t* number, void* buffer, std::size_t room,
             std::uint64_t flags) {
  if (queue.events.empty()) return -FI_EAGAIN;
  const Event& event = queue.events.front();
  if (event.bytes.size() > room) return -FI_ETOOSMALL;
  *number = event.number;
  std::memcpy(buffer, event.bytes.data(), event.bytes.size());
  const auto length = static_cast<ssize_t>(event.bytes.size());
  if ((flags & FI_PEEK) == 0) queue.events.pop_front();
  return length;
}

ssize_t read(fid_eq* queue, uint32_t* number, void* buffer, size_t room, uint64_t flags) {
  const std::scoped_lock lock(of(queue).mutex);
  return take(of(queue), number, buffer, room, flags);
}

ssize_t wait_read(fid_eq* queue, uint32_t* number, void* buffer, size_t room, int timeout_ms,
                  uint64_t flags) {
  EventQueue& self = of(queue);
  std::unique_lock lock(self.mutex);
  const auto has_come = [&] { return !self.events.empty(); };
  if (timeout_ms < 0) {
    self.written.wait(lock, has_come);
  } else {
    self.written.wait_for(lock, std::chrono::milliseconds(timeout_ms), has_come);
  }
  return take(self, number, buffer, room, flags);
}

ssize_t read_error(fid_eq* /*queue*/, fi_eq_err_entry* /*entry*/, uint64_t /*flags*/) {
  return -FI_EAGAIN;  // nothing fails later than its call
}

ssize_t write(fid_eq* queue, uint32_t number, const void* buffer, size_t length,
              uint64_t /*flags*/) {
  const auto* bytes = static_cast<const std::byte*>(buffer);
  const std::scoped_lock lock(of(queue).mutex);
  of(queue).events.push_back({number, {bytes, bytes + length}});
  of(queue).written.notify_all();
  return static_cast<ssize_t>(length);
}

const char* text(fid_eq* /*queue*/, int /*error*/, const void* /*data*/, char* /*buffer*/,
                 size_t /*length*/) {
  return "error";
}

int close_queue(fid* fid) {
  delete object_of<EventQueue, fid_eq>(fid);
  return 0;
}

}  // namespace

int open_event_queue(fid_fabric* /*fabric*/, fi_eq_attr* attributes, fid_eq** made, void* context) {
  if (attributes->wait_obj != FI_WAIT_NONE && attributes->wait_obj != FI_WAIT_UNSPEC)
    return -FI_ENOSYS;
  static fi_ops plain = plain_ops<close_queue>();
  static fi_ops_eq calls = [] {
    fi_ops_eq ops{};
    ops.size = sizeof ops;
    ops.read = guarded<read>;
    ops.readerr = guarded<read_error>;
    ops.write = guarded<write>;
    ops.sread = guarded<wait_read>;
    ops.strerror = guarded<text>;
    return ops;
  }();
  auto* queue = new EventQueue();
  queue->fid = {FI_CLASS_EQ, context, &plain};
  queue->ops = &calls;
  *made = queue;
  return 0;
}

}  // namespace quadrille::fabric
