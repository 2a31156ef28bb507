// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/provider/completion_queue.h"

#include <rdma/fi_endpoint.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/settings.h"
#include "fabric/provider/objects.h"

namespace quadrille::fabric {
namespace {

// Whoever finds nothing so often in a row lets another rank have the core, or sleeps.
constexpr unsigned reads_before_yield = 100;
// An MPI library has more to look after than this queue.
constexpr int longest_sleep_ms = 1;

std::size_t bytes_of(fi_cq_format format) {
  switch (format) {
    case FI_CQ_FORMAT_UNSPEC:  // who names none may have room for the shortest only
    case FI_CQ_FORMAT_CONTEXT:
      return sizeof(fi_cq_entry);
    case FI_CQ_FORMAT_MSG:
      return sizeof(fi_cq_msg_entry);
    case FI_CQ_FORMAT_DATA:
      return sizeof(fi_cq_data_entry);
    default:
      return sizeof(fi_cq_tagged_entry);
  }
}

}  // namespace

CompletionQueue::CompletionQueue(const fi_cq_attr& attributes, void* context)
    : fid_cq{}, format_(attributes.format) {
  // One that cannot be used is refused by the endpoint.
  const auto settings = read_settings([](const char* name) { return std::getenv(name); });
  mode_ = settings.ok() ? settings.value().waiting : WaitingMode::automatic;
  fid.fclass = FI_CLASS_CQ;
  fid.context = context;
  if (attributes.wait_obj == FI_WAIT_FD || attributes.wait_obj == FI_WAIT_UNSPEC)
    event_descriptor_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

CompletionQueue::~CompletionQueue() {
  if (event_descriptor_ >= 0) ::close(event_descriptor_);
}

void CompletionQueue::push(const Entry& entry) {
  const std::scoped_lock lock(mutex_);
  entries_.push_back(entry);
  size_ = entries_.size();
  if (event_descriptor_ < 0 || entries_.size() > 1) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(event_descriptor_, &one, sizeof one);
}

bool CompletionQueue::is_empty() const { return size_ == 0; }

void CompletionQueue::clear_signal() const {
  if (event_descriptor_ < 0) return;
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t length = ::read(event_descriptor_, &count, sizeof count);
}

void CompletionQueue::give_way() const {
  switch (mode_) {
    case WaitingMode::automatic:
      sched_yield();
      return;
    case WaitingMode::spin:
      return;
    case WaitingMode::sleep:
      stations_.wait(event_descriptor_, longest_sleep_ms, [this] { return !is_empty(); });
      return;
  }
}

ssize_t CompletionQueue::take(void* entries, std::size_t count, fi_addr_t* sources) {
  if (is_empty()) {
    stations_.drive();
    if (is_empty()) {
      if (++in_vain_ > reads_before_yield) give_way();
      if (is_empty()) return -FI_EAGAIN;
    }
  }
  in_vain_ = 0;
  const std::scoped_lock lock(mutex_);
  if (entries_.empty()) return -FI_EAGAIN;
  if (entries_.front().error != 0) return -FI_EAVAIL;
  const std::size_t width = bytes_of(format_);
  std::size_t taken = 0;
  auto* to = static_cast<std::byte*>(entries);
  while (taken < count && !entries_.empty() && entries_.front().error == 0) {
    // Each format begins as the next larger one does.
    std::memcpy(to + taken * width, &entries_.front().entry, width);
    if (sources != nullptr) sources[taken] = entries_.front().source;
    entries_.pop_front();
    ++taken;
  }
  size_ = entries_.size();
  if (entries_.empty()) clear_signal();
  return static_cast<ssize_t>(taken);
}

ssize_t CompletionQueue::take_error(fi_cq_err_entry& entry) {
  const std::scoped_lock lock(mutex_);
  if (entries_.empty() || entries_.front().error == 0) return -FI_EAGAIN;
  const Entry& front = entries_.front();
  entry.op_context = front.entry.op_context;
  entry.flags = front.entry.flags;
  entry.len = front.entry.len;
  entry.buf = front.entry.buf;
  entry.data = front.entry.data;
  entry.tag = front.entry.tag;
  entry.olen = front.excess;
  entry.err = front.error;
  entry.prov_errno = front.error;
  // There is nothing more to say: none of the caller's memory is written, and none lent to it.
  if (entry.err_data_size == 0) entry.err_data = nullptr;
  entry.err_data_size = 0;
  entries_.pop_front();
  size_ = entries_.size();
  if (entries_.empty()) clear_signal();
  return 1;
}

// What a signal has left is no completion; who polls would find it again and again.
void CompletionQueue::forget_signal() {
  const std::scoped_lock lock(mutex_);
  interrupted_ = false;
  if (entries_.empty()) clear_signal();
}

int CompletionQueue::try_wait() {
  if (is_empty()) stations_.drive();
  if (interrupted_) {
    forget_signal();
    return -FI_EAGAIN;
  }
  if (!is_empty()) return -FI_EAGAIN;
  stations_.leave_to_service();
  return is_empty() ? 0 : -FI_EAGAIN;
}

struct CompletionQueueCalls {
  static CompletionQueue& of(fid_cq* cq) { return *static_cast<CompletionQueue*>(cq); }

  static ssize_t read(fid_cq* cq, void* entries, size_t count) {
    return of(cq).take(entries, count, nullptr);
  }
  static ssize_t read_from(fid_cq* cq, void* entries, size_t count, fi_addr_t* sources) {
    return of(cq).take(entries, count, sources);
  }
  static ssize_t read_error(fid_cq* cq, fi_cq_err_entry* entry, uint64_t /*flags*/) {
    return of(cq).take_error(*entry);
  }
  static ssize_t wait_read(fid_cq* cq, void* entries, size_t count, const void* condition,
                           int timeout_ms) {
    return wait_read_from(cq, entries, count, nullptr, condition, timeout_ms);
  }
  static ssize_t wait_read_from(fid_cq* cq, void* entries, size_t count, fi_addr_t* sources,
                                const void* /*condition*/, int timeout_ms) {
    CompletionQueue& self = of(cq);
    self.stations_.wait(self.event_descriptor_, timeout_ms,
                        [&] { return !self.is_empty() || self.interrupted_; });
    self.forget_signal();
    return self.is_empty() ? -FI_EAGAIN : self.take(entries, count, sources);
  }
  static int interrupt(fid_cq* cq) {
    of(cq).interrupted_ = true;
    const std::uint64_t one = 1;
    if (of(cq).event_descriptor_ >= 0 && ::write(of(cq).event_descriptor_, &one, sizeof one) < 0)
      return -FI_EAGAIN;
    return 0;
  }
  static const char* text(fid_cq* /*cq*/, int error, const void* /*data*/, char* buffer,
                          size_t length) {
    const char* text = error == FI_ETRUNC       ? "the message is longer than its receive"
                       : error == FI_ECANCELED  ? "canceled"
                       : error == FI_ENOMSG     ? "no such message"
                       : error == FI_ECONNRESET ? "the other process has ended"
                                                : "error";
    if (buffer != nullptr && length > 0) {
      std::strncpy(buffer, text, length - 1);
      buffer[length - 1] = '\0';
    }
    return text;
  }

  static int close(fid* fid) {
    auto* self = object_of<CompletionQueue, fid_cq>(fid);
    if (!self->stations_.empty()) return -FI_EBUSY;
    delete self;
    return 0;
  }
  static int control(fid* fid, int command, void* argument) {
    const auto* self = object_of<CompletionQueue, fid_cq>(fid);
    if (command != FI_GETWAIT || self->event_descriptor_ < 0) return -FI_ENOSYS;
    *static_cast<int*>(argument) = self->event_descriptor_;
    return 0;
  }
};

int CompletionQueue::open(fid_domain* /*domain*/, fi_cq_attr* attributes, fid_cq** made,
                          void* context) {
  const fi_wait_obj wait = attributes->wait_obj;
  if (wait != FI_WAIT_NONE && wait != FI_WAIT_UNSPEC && wait != FI_WAIT_FD && wait != FI_WAIT_YIELD)
    return -FI_ENOSYS;
  if (attributes->format == FI_CQ_FORMAT_UNSPEC) attributes->format = FI_CQ_FORMAT_CONTEXT;
  static fi_ops plain = [] {
    fi_ops ops = plain_ops<CompletionQueueCalls::close>();
    ops.control = guarded<CompletionQueueCalls::control>;
    return ops;
  }();
  static fi_ops_cq calls = [] {
    fi_ops_cq ops{};
    ops.size = sizeof ops;
    ops.read = guarded<CompletionQueueCalls::read>;
    ops.readfrom = guarded<CompletionQueueCalls::read_from>;
    ops.readerr = guarded<CompletionQueueCalls::read_error>;
    ops.sread = guarded<CompletionQueueCalls::wait_read>;
    ops.sreadfrom = guarded<CompletionQueueCalls::wait_read_from>;
    ops.signal = guarded<CompletionQueueCalls::interrupt>;
    ops.strerror = guarded<CompletionQueueCalls::text>;
    return ops;
  }();
  auto* queue = new CompletionQueue(*attributes, context);
  queue->fid.ops = &plain;
  queue->ops = &calls;
  *made = queue;
  return 0;
}

}  // namespace quadrille::fabric
