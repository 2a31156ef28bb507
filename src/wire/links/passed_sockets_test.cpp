// SPDX-License-Identifier: BSD-3-Clause
// What a rank makes of a link helper's answers, and of none. Answers that hold sockets are of
// another namespace: tests/lab/test_lab_passed_frames.py.
#include "wire/links/passed_sockets.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
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
  explicit Somebody(std::string answer)
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
    thread_ = std::jthread([this, answer = std::move(answer)] {
      const Descriptor connection(accept(listener_.get(), nullptr, nullptr));
      std::array<char, 100> heard{};
      const ssize_t length = recv(connection.get(), heard.data(), heard.size(), 0);
      if (length > 0) heard_.assign(heard.data(), static_cast<std::size_t>(length));
      if (!answer.empty()) send(connection.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
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

 private:
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

TEST(PassedSockets, are_not_waited_for_longer_than_three_seconds) {
  Somebody silent("");
  const Nanoseconds before = monotonic_now();
  EXPECT_NE(failure_at(silent.path()).find("does not answer"), std::string::npos);
  EXPECT_LT(monotonic_now() - before, Nanoseconds{6'000'000'000});
}

}  // namespace
}  // namespace quadrille::wire
