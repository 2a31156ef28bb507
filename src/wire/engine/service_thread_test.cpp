// SPDX-License-Identifier: BSD-3-Clause
#include "wire/engine/service_thread.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <new>

#include "base/monotonic_clock.h"

namespace quadrille::wire {
namespace {

class ServiceThreadTest : public testing::Test {
 protected:
  ~ServiceThreadTest() override {
    thread_.end();
    close(event_);
  }

  bool start() {
    return thread_.start([this] {
      ++acts_;
      acted_.notify_all();
      return wakes_;
    });
  }
  // Whether it has acted so often within some time.
  bool has_acted(int times, std::chrono::milliseconds within = std::chrono::seconds(10)) {
    std::unique_lock lock(mutex_);
    return acted_.wait_for(lock, within, [&] { return acts_ >= times; });
  }

  std::mutex mutex_;
  std::condition_variable acted_;
  int acts_ = 0;
  Nanoseconds wakes_ = ServiceThread::never;
  int event_ = eventfd(1, EFD_CLOEXEC);  // ready from the start
  ServiceThread thread_{mutex_};
};

TEST_F(ServiceThreadTest, acts_at_once_and_then_sleeps) {
  ASSERT_TRUE(start());
  EXPECT_TRUE(has_acted(1));
  EXPECT_FALSE(has_acted(2, std::chrono::milliseconds(50)));
}

TEST_F(ServiceThreadTest, goes_on_where_what_it_does_has_thrown) {
  ASSERT_TRUE(thread_.start([this]() -> Nanoseconds {
    acted_.notify_all();
    if (++acts_ < 3) throw std::bad_alloc();
    return ServiceThread::never;
  }));
  EXPECT_TRUE(has_acted(3));
}

TEST_F(ServiceThreadTest, is_woken_once_by_a_descriptor_each_time_that_it_is_watched) {
  ASSERT_TRUE(thread_.add(event_, 0));
  ASSERT_TRUE(start());
  ASSERT_TRUE(has_acted(1));
  EXPECT_FALSE(has_acted(2, std::chrono::milliseconds(50)));
  for (int times = 2; times < 5; ++times) {
    {
      const std::scoped_lock lock(mutex_);
      thread_.watch(event_, EPOLLIN);
    }
    EXPECT_TRUE(has_acted(times));
    EXPECT_FALSE(has_acted(times + 1, std::chrono::milliseconds(20)));
  }
}

TEST_F(ServiceThreadTest, is_woken_by_the_earlier_of_two_times) {
  ASSERT_TRUE(start());
  ASSERT_TRUE(has_acted(1));
  const Nanoseconds soon = monotonic_now() + Nanoseconds{20'000'000};
  {
    const std::scoped_lock lock(mutex_);
    thread_.wake_by(soon);
    thread_.wake_by(soon + Nanoseconds{3'600'000'000'000});
  }
  EXPECT_TRUE(has_acted(2));
  EXPECT_GE(monotonic_now(), soon);
}

TEST_F(ServiceThreadTest, what_it_returns_wakes_it_too) {
  wakes_ = Nanoseconds{0};
  ASSERT_TRUE(start());
  EXPECT_TRUE(has_acted(5));
}

TEST_F(ServiceThreadTest, acts_no_more_when_it_has_ended) {
  ASSERT_TRUE(start());
  EXPECT_TRUE(thread_.end());
  EXPECT_TRUE(thread_.end());
  const int acts = acts_;
  const std::scoped_lock lock(mutex_);
  thread_.wake_at(Nanoseconds{1});
  EXPECT_EQ(acts_, acts);
}

}  // namespace
}  // namespace quadrille::wire
