// SPDX-License-Identifier: BSD-3-Clause
// Lengths are of all orders of magnitude: short ones that go at once, those that go in parts and
// those that are offered first.
#include "apps/soak/mpi/traffic.h"

#include <algorithm>

namespace quadrille::soak {
namespace {

constexpr std::size_t kLongest = std::size_t{64} * 1024;
constexpr std::size_t kLongestOfBlocks = std::size_t{8} * 1024;

std::byte pattern(std::uint64_t number, int from, int to, std::size_t place) {
  const std::uint64_t of = number * 31 + static_cast<std::uint64_t>(from) * 7 +
                           static_cast<std::uint64_t>(to) * 3 + place * 5 + place / 251;
  return static_cast<std::byte>(of);
}

// Requests of sends stand behind those of receives.
std::size_t place_of_send(int receives, int send) {
  return static_cast<std::size_t>(receives) + static_cast<std::size_t>(send);
}

}  // namespace

Traffic::Traffic(std::uint64_t seed) : chance_(seed) {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  const std::size_t room =
      std::max(kLongest * most_messages, kLongestOfBlocks * static_cast<std::size_t>(ranks_));
  out_.resize(room);
  in_.resize(room);
}

std::uint64_t Traffic::draw(std::uint64_t below) { return chance_() % below; }

// 0 to `most`: any number of binary digits is as likely.
std::size_t Traffic::draw_length(std::size_t most) {
  const std::uint64_t bound = std::uint64_t{1} << draw(18);
  return std::min(static_cast<std::size_t>(draw(bound + 1)), most);
}

void Traffic::fill(std::span<std::byte> bytes, int from, int to) const {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = pattern(number_, from, to, i);
}

void Traffic::check(std::span<const std::byte> bytes, int from, int to) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != pattern(number_, from, to, i)) ++wrong_;
}

void Traffic::exchange() {
  ++number_;
  switch (draw(8)) {
    case 0:
      return broadcast();
    case 1:
      return sum();
    case 2:
      return all_to_all();
    case 3:
      return gather_to_all();
    default:
      return messages();
  }
}

// Several at once from each rank to one other, received by their tags in another order.
void Traffic::messages() {
  const int distance =
      ranks_ > 1 ? 1 + static_cast<int>(draw(static_cast<std::uint64_t>(ranks_ - 1))) : 0;
  const int count = 1 + static_cast<int>(draw(most_messages));
  const bool any_source = draw(4) == 0;
  const int to = (rank_ + distance) % ranks_;
  const int from = (rank_ + ranks_ - distance) % ranks_;
  std::array<std::size_t, most_messages> lengths{};
  for (int i = 0; i < count; ++i) lengths.at(static_cast<std::size_t>(i)) = draw_length(kLongest);
  std::array<MPI_Request, std::size_t{2} * most_messages> requests{};
  const auto part = [&](std::vector<std::byte>& of, int i) {
    return std::span(of).subspan(kLongest * static_cast<std::size_t>(i),
                                 lengths.at(static_cast<std::size_t>(i)));
  };
  for (int i = 0; i < count; ++i) {
    const int tag = count - 1 - i;
    const auto place = part(in_, tag);
    std::ranges::fill(place, std::byte{0});
    MPI_Irecv(place.data(), static_cast<int>(place.size()), MPI_BYTE,
              any_source ? MPI_ANY_SOURCE : from, tag, MPI_COMM_WORLD,
              &requests.at(static_cast<std::size_t>(i)));
  }
  for (int i = 0; i < count; ++i) {
    const auto message = part(out_, i);
    fill(message, rank_, to + i);
    MPI_Isend(message.data(), static_cast<int>(message.size()), MPI_BYTE, to, i, MPI_COMM_WORLD,
              &requests.at(place_of_send(count, i)));
  }
  MPI_Waitall(2 * count, requests.data(), MPI_STATUSES_IGNORE);
  for (int i = 0; i < count; ++i) check(part(in_, i), from, rank_ + i);
  calls_ += static_cast<std::uint64_t>(count);
  // Whoever receives from any source has to get those of this exchange.
  if (any_source) MPI_Barrier(MPI_COMM_WORLD);
}

void Traffic::broadcast() {
  const int root = static_cast<int>(draw(static_cast<std::uint64_t>(ranks_)));
  const auto block = std::span(in_).first(draw_length(kLongest));
  std::ranges::fill(block, std::byte{0});
  if (rank_ == root) fill(block, root, 0);
  MPI_Bcast(block.data(), static_cast<int>(block.size()), MPI_BYTE, root, MPI_COMM_WORLD);
  check(block, root, 0);
  ++calls_;
}

void Traffic::sum() {
  std::vector<std::int64_t> values(draw_length(kLongest) / sizeof(std::int64_t) + 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::int64_t>(number_ + i) * (rank_ + 1);
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM,
                MPI_COMM_WORLD);
  const std::int64_t factor = static_cast<std::int64_t>(ranks_) * (ranks_ + 1) / 2;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != static_cast<std::int64_t>(number_ + i) * factor) ++wrong_;
  ++calls_;
}

void Traffic::all_to_all() {
  const std::size_t length = draw_length(kLongestOfBlocks);
  for (int other = 0; other < ranks_; ++other)
    fill(std::span(out_).subspan(length * static_cast<std::size_t>(other), length), rank_, other);
  MPI_Alltoall(out_.data(), static_cast<int>(length), MPI_BYTE, in_.data(),
               static_cast<int>(length), MPI_BYTE, MPI_COMM_WORLD);
  for (int other = 0; other < ranks_; ++other)
    check(std::span(in_).subspan(length * static_cast<std::size_t>(other), length), other, rank_);
  ++calls_;
}

void Traffic::gather_to_all() {
  const std::size_t length = draw_length(kLongestOfBlocks);
  fill(std::span(out_).first(length), rank_, 0);
  MPI_Allgather(out_.data(), static_cast<int>(length), MPI_BYTE, in_.data(),
                static_cast<int>(length), MPI_BYTE, MPI_COMM_WORLD);
  for (int other = 0; other < ranks_; ++other)
    check(std::span(in_).subspan(length * static_cast<std::size_t>(other), length), other, 0);
  ++calls_;
}

}  // namespace quadrille::soak
