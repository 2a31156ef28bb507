// SPDX-License-Identifier: BSD-3-Clause
// What a rank makes of a link helper's answers, and of none. Answers that hold sockets are of
// another namespace: tests/lab/test_lab_passed_frames.py.
#include "wire/links/frames/passed_sockets.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "base/monotonic_clock.h"

namespace quadrille::wire {
namespace {

constexpr NetworkAddress kOwn{0x7f000001, 0};

// Somebody at a Unix socket who hears one request and says `answer`, or nothing where it is empty.
class Somebody {
 public:
  // `passes`: so many descriptors with it.
  explicit Somebody(std::string answer, std::size_t passes = 0)
      : path_(std::filesystem::temp_directory_path() /
              ("quadrille-passed-" + std::to_string(getpid()))),
        listener_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    std::filesystem::remove(path_);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    EXPECT_EQ(listen(listener_.get(), 1), 0);
    thread_ = std::jthread([this, answer = std::move(answer), passes] {
      const Descriptor connection(accept(listener_.get(), nullptr, nullptr));
      std::array<char, 100> heard{};
      const ssize_t length = recv(connection.get(), heard.data(), heard.size(), 0);
      if (length > 0) heard_.assign(heard.data(), static_cast<std::size_t>(length));
      std::this_thread::sleep_for(delay);
      if (!answer.empty()) say(connection.get(), answer, passes);
      // Until the other end has gone.
      recv(connection.get(), heard.data(), heard.size(), 0);
    });
  }
  ~Somebody() { std::filesystem::remove(path_); }
  Somebody(const Somebody&) = delete;
  Somebody& operator=(const Somebody&) = delete;

  const std::string& path() const { return path_; }
  std::string heard() {
    thread_.join();
    return heard_;
  }

  static constexpr std::chrono::milliseconds delay{30};

 private:
  static void say(int connection, std::string answer, std::size_t passes) {
    iovec piece{answer.data(), answer.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(8 * sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &piece;
    header.msg_iovlen = 1;
    if (passes > 0) {
      header.msg_control = control.data();
      header.msg_controllen = CMSG_SPACE(passes * sizeof(int));
      cmsghdr* c = CMSG_FIRSTHDR(&header);
      c->cmsg_level = SOL_SOCKET;
      c->cmsg_type = SCM_RIGHTS;
      c->cmsg_len = CMSG_LEN(passes * sizeof(int));
      for (std::size_t i = 0; i < passes; ++i)
        std::memcpy(CMSG_DATA(c) + i * sizeof connection, &connection, sizeof connection);
    }
    EXPECT_EQ(sendmsg(connection, &header, MSG_NOSIGNAL), static_cast<ssize_t>(answer.size()));
  }

  std::string path_;
  Descriptor listener_;
  std::string heard_;
  std::jthread thread_;
};

std::string failure_at(const std::string& path) {
  auto passed = ask_for_sockets(path, kOwn);
  EXPECT_FALSE(passed.ok());
  return passed.ok() ? "" : passed.error().message;
}

TEST(PassedSockets, are_not_had_where_nobody_serves) {
  EXPECT_EQ(failure_at("/nonexistent/h.sock"),
            "the link helper at /nonexistent/h.sock does not run");
  EXPECT_NE(failure_at(std::string(200, 'x')).find("too long a name"), std::string::npos);
}

TEST(PassedSockets, are_asked_for_by_address_and_refused_with_the_reason) {
  Somebody helper("refused no rule is for user bob");
  EXPECT_EQ(failure_at(helper.path()),
            "the link helper at " + helper.path() + " refuses: no rule is for user bob");
  EXPECT_EQ(helper.heard(), "quadrille-link 1 127.0.0.1");
}

TEST(PassedSockets, are_not_taken_from_who_says_something_else_or_passes_none) {
  Somebody stranger("hello");
  EXPECT_NE(failure_at(stranger.path()).find("another language"), std::string::npos);
  stranger.heard();
  Somebody empty("granted eth0");
  EXPECT_NE(failure_at(empty.path()).find("passes other sockets"), std::string::npos);
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

TEST(PassedSockets, are_closed_where_others_were_passed_or_more) {
  for (const std::size_t count : {1U, 3U, 4U, 8U}) {
    const auto before = open_descriptors();
    {
      Somebody helper("granted no-such0", count);
      failure_at(helper.path());
      helper.heard();
    }
    EXPECT_EQ(open_descriptors(), before) << count;
  }
}

TEST(PassedSockets, are_had_though_signals_come) {
  struct sigaction before {};
  struct sigaction nothing {};
  nothing.sa_handler = [](int) {};
  nothing.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &nothing, &before);
  Somebody helper("refused no rule is for user bob");
  std::jthread alarm([self = pthread_self()](const std::stop_token& stop) {
    for (; !stop.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(1)))
      pthread_kill(self, SIGUSR1);
  });
  EXPECT_NE(failure_at(helper.path()).find("refuses"), std::string::npos);
  alarm.request_stop();
  alarm.join();
  sigaction(SIGUSR1, &before, nullptr);
}

TEST(PassedSockets, are_not_waited_for_longer_than_three_seconds) {
  Somebody silent("");
  const Nanoseconds before = monotonic_now();
  EXPECT_NE(failure_at(silent.path()).find("does not answer"), std::string::npos);
  EXPECT_LT(monotonic_now() - before, Nanoseconds{6'000'000'000});
}

}  // namespace
}  // namespace quadrille::wire
