// SPDX-License-Identifier: BSD-3-Clause
// The provider where memory ends: each allocation in turn fails while endpoints are opened,
// exchange messages and are closed. Each call then tells so, and what was taken on ends all the
// same.
#include <gtest/gtest.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include "fabric/provider/provider_fixture.h"

namespace {

// All that is taken while it counts, by any thread: of `passes` allocations more each succeeds, of
// `failures` behind them none does.
std::atomic<bool> counts = false;
std::atomic<long> passes = 0;
std::atomic<long> failures = 0;
std::atomic<long> failed = 0;

bool is_to_fail() {
  if (!counts || --passes >= 0 || --failures < 0) return false;
  ++failed;
  return true;
}

void* take(std::size_t bytes) { return is_to_fail() ? nullptr : std::malloc(bytes); }

}  // namespace

// Not inline, or compilers take them for another allocator's.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  void* const taken = take(bytes);
  if (taken == nullptr) throw std::bad_alloc();
  return taken;
}
[[gnu::noinline]] void operator delete(void* taken) noexcept { std::free(taken); }
[[gnu::noinline]] void operator delete(void* taken, std::size_t) noexcept { std::free(taken); }

// What libfabric frees by itself is taken from the C library (linked by --wrap).
extern "C" {
void* __real_calloc(std::size_t count, std::size_t bytes);
char* __real_strdup(const char* text);
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  return is_to_fail() ? nullptr : __real_calloc(count, bytes);
}
char* __wrap_strdup(const char* text) { return is_to_fail() ? nullptr : __real_strdup(text); }
}

namespace quadrille::fabric {
namespace {

constexpr int allocation_patience_ms = 20'000;
constexpr std::size_t long_bytes = 100'000;  // offered
constexpr std::size_t short_bytes = 6'000;   // at once

// One run: no check that allocates stands in it, as all is counted.
class Exchange {
 public:
  // Returns the first error of a call, or 0.
  int run() {
    error_ = 0;
    leaks_ = false;
    open();
    if (error_ == 0) post();
    for (End& end : ends_) await(end);
    close();
    return error_;
  }
  // Something that was taken on has not ended.
  bool leaks() const { return leaks_; }
  bool closes() const { return closes_; }

 private:
  struct End {
    fid_ep* endpoint = nullptr;
    fid_cq* queue = nullptr;
    fid_cntr* counter = nullptr;
    fid_av* addresses = nullptr;
    fi_addr_t other = FI_ADDR_NOTAVAIL;
    int awaited = 0;
    std::array<char, long_bytes> in{};
  };

  bool did(int answer) {
    if (answer < 0 && error_ == 0) error_ = answer;
    return answer >= 0;
  }
  // An operation that ends by a completion if the call succeeds.
  void awaits(End& end, ssize_t answer) {
    if (did(static_cast<int>(answer))) ++end.awaited;
  }

  void open() {
    if (!did(fi_prov_ini()->getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, nullptr, &info_)) ||
        !did(fi_prov_ini()->fabric(info_->fabric_attr, &fabric_, nullptr)) ||
        !did(fi_domain(fabric_, info_, &domain_, nullptr)))
      return;
    for (End& end : ends_) {
      if (!open(end)) return;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      std::array<char, 64> name{};
      std::size_t length = name.size();
      if (!did(fi_getname(&ends_[1 - i].endpoint->fid, name.data(), &length)) ||
          !did(fi_av_insert(ends_[i].addresses, name.data(), 1, &ends_[i].other, 0, nullptr)))
        return;
    }
  }
  bool open(End& end) {
    fi_av_attr addresses{};
    fi_cq_attr queue{};
    queue.format = FI_CQ_FORMAT_TAGGED;
    queue.wait_obj = FI_WAIT_FD;
    fi_cntr_attr counter{};
    return did(fi_endpoint(domain_, info_, &end.endpoint, nullptr)) &&
           did(fi_av_open(domain_, &addresses, &end.addresses, nullptr)) &&
           did(fi_cq_open(domain_, &queue, &end.queue, nullptr)) &&
           did(fi_cntr_open(domain_, &counter, &end.counter, nullptr)) &&
           did(fi_ep_bind(end.endpoint, &end.addresses->fid, 0)) &&
           did(fi_ep_bind(end.endpoint, &end.queue->fid, FI_TRANSMIT | FI_RECV)) &&
           did(fi_ep_bind(end.endpoint, &end.counter->fid, FI_RECV)) &&
           did(fi_enable(end.endpoint));
  }

  void post() {
    End& from = ends_[0];
    End& to = ends_[1];
    // An end that is lost tells the other one: receives of that alone are not in vain.
    for (std::uint64_t tag = 0; tag < 3; ++tag)
      awaits(to, fi_trecv(to.endpoint, to.in.data(), to.in.size(), nullptr, to.other, tag, 0,
                          &contexts_[tag]));
    awaits(from, fi_trecv(from.endpoint, from.in.data(), from.in.size(), nullptr, from.other, 3, 0,
                          &contexts_[3]));
    awaits(to, fi_trecv(to.endpoint, to.in.data(), 1, nullptr, to.other, 99, 0, &contexts_[4]));
    did(fi_tinject(from.endpoint, out_.data(), 100, from.other, 0));
    awaits(from,
           fi_tsend(from.endpoint, out_.data(), short_bytes, nullptr, from.other, 1, nullptr));
    awaits(from, fi_tsend(from.endpoint, out_.data(), long_bytes, nullptr, from.other, 2, nullptr));
    awaits(to, fi_tsend(to.endpoint, out_.data(), short_bytes, nullptr, to.other, 3, nullptr));
    // Without a receive; it is found, claimed and received, or never comes.
    did(fi_tinject(from.endpoint, out_.data(), 10, from.other, 7));
    claim(to);
    const auto canceled = fi_cancel(&to.endpoint->fid, &contexts_[4]);
    if (canceled != -FI_ENOENT) did(static_cast<int>(canceled));
  }

  void claim(End& end) {
    fi_msg_tagged message{};
    message.addr = end.other;
    message.tag = 7;
    message.context = &contexts_[5];
    const iovec piece{end.in.data(), end.in.size()};
    for (int i = 0; i < 100; ++i) {
      message.msg_iov = nullptr;
      message.iov_count = 0;
      if (!did(static_cast<int>(fi_trecvmsg(end.endpoint, &message, FI_PEEK | FI_CLAIM)))) return;
      ++end.awaited;
      bool found = false;
      for (bool told = false; !told && !leaks_;) told = take(end, &contexts_[5], &found);
      if (!found) continue;
      message.msg_iov = &piece;
      message.iov_count = 1;
      awaits(end, fi_trecvmsg(end.endpoint, &message, FI_CLAIM));
      return;
    }
  }

  // Takes the next completion; returns whether it was of this context, and if that was a success.
  bool take(End& end, const void* context, bool* succeeded) {
    fi_cq_tagged_entry entry{};
    const ssize_t count = fi_cq_sread(end.queue, &entry, 1, nullptr, allocation_patience_ms);
    if (count == 1) {
      --end.awaited;
      *succeeded = true;
      return entry.op_context == context;
    }
    fi_cq_err_entry error{};
    *succeeded = false;
    if (count == -FI_EAVAIL && fi_cq_readerr(end.queue, &error, 0) == 1) {
      --end.awaited;
      return error.op_context == context;
    }
    leaks_ = true;
    return false;
  }

  void await(End& end) {
    bool succeeded = false;
    while (end.awaited > 0 && !leaks_) take(end, nullptr, &succeeded);
  }

  void close() {
    const auto close_one = [&](auto*& object) {
      if (object != nullptr && fi_close(&object->fid) != 0) closes_ = false;
      object = nullptr;
    };
    for (End& end : ends_) {
      close_one(end.endpoint);
      close_one(end.queue);
      close_one(end.counter);
      close_one(end.addresses);
      end.awaited = 0;
    }
    close_one(domain_);
    close_one(fabric_);
    if (info_ != nullptr) free_info(info_);
    info_ = nullptr;
  }

  fi_info* info_ = nullptr;
  fid_fabric* fabric_ = nullptr;
  fid_domain* domain_ = nullptr;
  std::array<End, 2> ends_;
  std::array<int, 6> contexts_{};
  std::array<char, long_bytes> out_{};
  int error_ = 0;
  bool leaks_ = false;
  bool closes_ = true;
};

struct Shortage {
  const char* memory;  // QUADRILLE_FABRIC_MEMORY
  long failures;       // in a row
};

class FailedAllocationTest : public testing::TestWithParam<Shortage> {};

TEST_P(FailedAllocationTest, every_call_returns_and_what_was_taken_on_ends) {
  ::setenv("QUADRILLE_FABRIC_INTERFACE", "127.0.0.1", 1);
  ::setenv("QUADRILLE_FABRIC_MEMORY", GetParam().memory, 1);
  ::unsetenv("QUADRILLE_JOB_SECRET");
  static Exchange exchange;
  ASSERT_EQ(exchange.run(), 0);
  ASSERT_FALSE(exchange.leaks());
  long errors = 0;
  for (long allocation = 0;; ++allocation) {
    SCOPED_TRACE(allocation);
    passes = allocation;
    failures = GetParam().failures;
    failed = 0;
    counts = true;
    const int error = exchange.run();
    counts = false;
    ASSERT_FALSE(exchange.leaks());
    ASSERT_TRUE(exchange.closes());
    ASSERT_TRUE(error == 0 || failed > 0) << error;
    errors += error != 0 ? 1 : 0;
    if (failed == 0) break;
  }
  EXPECT_GT(errors, 20) << "allocations of calls that open, send and receive have failed";
  ::unsetenv("QUADRILLE_FABRIC_MEMORY");
  ASSERT_EQ(exchange.run(), 0) << "nothing is left behind";
}

INSTANTIATE_TEST_SUITE_P(ByMemoryAndByTheLoopback, FailedAllocationTest,
                         testing::Values(Shortage{"on", 1}, Shortage{"off", 1}, Shortage{"on", 8},
                                         Shortage{"off", 8}),
                         [](const auto& shortage) {
                           return std::string("memory_") + shortage.param.memory + "_failures_" +
                                  std::to_string(shortage.param.failures);
                         });

}  // namespace
}  // namespace quadrille::fabric
