// SPDX-License-Identifier: BSD-3-Clause
// Who joins holds one more name meanwhile: so one at a time looks for a board and makes it.
#include "wire/budget/host_board.h"

#include <signal.h>
#include <sodium.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/monotonic_clock.h"
#include "wire/budget/sealed_memory.h"
#include "wire/seal/octets.h"

namespace quadrille::wire {
namespace {

// Joining takes a millisecond; who is stopped meanwhile must not stop the others.
constexpr Nanoseconds patience{2'000'000'000};
constexpr std::chrono::microseconds between_attempts{200};

// Tells nobody the job's secret.
std::string name_of(const Secret& job, std::uint32_t address) {
  const std::array<std::uint32_t, 2> whose{address, geteuid()};
  std::array<unsigned char, 16> hash{};
  crypto_generichash(hash.data(), hash.size(), reinterpret_cast<const unsigned char*>(whose.data()),
                     sizeof whose, octets_of(job.data()), job.size());
  std::array<char, 2 * hash.size() + 1> digits{};
  sodium_bin2hex(digits.data(), digits.size(), hash.data(), hash.size());
  return std::string("quadrille-credits-") + digits.data();
}

using Call = int (*)(int, const sockaddr*, socklen_t);

// Of a socket that has, or is connected to, an abstract name; errno tells why not.
Descriptor socket_with(Call call, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(&address.sun_path[1], sizeof address.sun_path - 1);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made && call(made.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0)
    return made;
  return {};
}

std::string place(const std::string& name, std::size_t holder) {
  return name + "-" + std::to_string(holder);
}

Descriptor wait_for_turn(const std::string& name) {
  const Nanoseconds end = monotonic_now() + patience;
  for (;;) {
    Descriptor turn = socket_with(::bind, name + "-joins");
    if (turn || errno != EADDRINUSE || monotonic_now() > end) return turn;
    std::this_thread::sleep_for(between_attempts);
  }
}

// Its file, opened anew, or none.
Descriptor board_of_process(pid_t process, const std::string& name) {
  const auto folder = std::filesystem::path("/proc") / std::to_string(process) / "fd";
  std::error_code failed;
  for (std::filesystem::directory_iterator next(folder, failed), end; !failed && next != end;
       next.increment(failed)) {
    Descriptor opened = open_sealed_memory(next->path(), name, sizeof(CreditBoard));
    struct stat file {};
    if (opened && fstat(opened.get(), &file) == 0 && file.st_uid == geteuid()) return opened;
  }
  return {};
}

// The one that a holder has, or else a new one; none where a holder has one that is hidden.
Descriptor find_board(const std::string& name) {
  bool is_hidden = false;
  for (std::size_t i = 0; i < CreditBoard::holders; ++i) {
    const Descriptor connection = socket_with(::connect, place(name, i));
    ucred owner{};
    socklen_t length = sizeof owner;
    if (!connection || getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &owner, &length) != 0)
      continue;
    Descriptor found = board_of_process(owner.pid, name);
    if (found) return found;
    // A forked child may have the name of one that has ended.
    is_hidden = is_hidden || owner.pid == 0 || kill(owner.pid, 0) == 0;
  }
  return is_hidden ? Descriptor() : make_sealed_memory(name, sizeof(CreditBoard));
}

struct Places {
  Descriptor own;
  std::size_t holder = CreditBoard::holders;
  std::vector<std::size_t> empty;  // of those before
};

Places look_at_places(const std::string& name, std::size_t used) {
  Places found;
  for (std::size_t i = 0; i < CreditBoard::holders && (i < used || !found.own); ++i) {
    Descriptor one = socket_with(::bind, place(name, i));
    if (one && found.own) {
      found.empty.push_back(i);
    } else if (one) {
      found.own = std::move(one);
      found.holder = i;
    }
  }
  return found;
}

CreditBoard* map(const Descriptor& memory) {
  void* start =
      mmap(nullptr, sizeof(CreditBoard), PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
  return start == MAP_FAILED ? nullptr : static_cast<CreditBoard*>(start);
}

}  // namespace

std::unique_ptr<HostBoard> HostBoard::join(const Secret& job, std::uint32_t address) {
  const std::string name = name_of(job, address);
  const Descriptor turn = wait_for_turn(name);
  if (!turn) return nullptr;
  Descriptor memory = find_board(name);
  CreditBoard* board = memory ? map(memory) : nullptr;
  if (board == nullptr) return nullptr;
  Places places = look_at_places(name, board->places.load());
  // From now on its name leads here.
  std::unique_ptr<HostBoard> joined(
      new HostBoard(*board, std::move(memory), std::move(places.own), places.holder));
  if (!joined->name_ || listen(joined->name_.get(), SOMAXCONN) != 0) return nullptr;
  for (const std::size_t gone : places.empty) board->taken[gone].store(0);
  return joined;
}

HostBoard::HostBoard(CreditBoard& board, Descriptor memory, Descriptor name, std::size_t holder)
    : board_(&board), memory_(std::move(memory)), name_(std::move(name)), holder_(holder) {
  struct stat file {};
  if (fstat(memory_.get(), &file) == 0) identity_ = file.st_ino;
}

HostBoard::~HostBoard() { munmap(board_, sizeof(CreditBoard)); }

}  // namespace quadrille::wire
