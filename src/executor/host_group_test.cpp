// SPDX-License-Identifier: BSD-3-Clause
// Ranks are threads with memory of their own, which they find as processes do.
#include "executor/host_group.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <thread>
#include <vector>

namespace quadrille {
namespace {

using Value = std::uint64_t;

// It has no messages.
class NoMessages final : public Transport {
 public:
  Result<bool> start_send(StepIndex, Rank, const void*, std::uint64_t) override { return none(); }
  Result<bool> start_receive(StepIndex, Rank, void*, std::uint64_t) override { return none(); }
  Result<bool> start_group_bcast(StepIndex, Rank, void*, std::uint64_t) override { return none(); }
  Result<bool> start_group_reduce(StepIndex, Rank, const void*, void*, std::uint64_t) override {
    return none();
  }
  Result<std::size_t> poll(std::span<StepIndex>) override { return none().error(); }
  Carrier carrier_of(const Step&) const override { return Carrier::mpi_library; }
  void progress() override { ++driven; }

  int driven = 0;

 private:
  static Result<bool> none() { return Error{ErrorKind::system, "there are no messages"}; }
};

// Neither commutes nor associates, so that it tells the order.
Value combined(Value left, Value right) { return left * 1'000'003 + right; }

CallMemory memory_of_values() {
  CallMemory memory;
  memory.element_stride = sizeof(Value);
  memory.copy = [](const std::byte* from, std::byte* into, std::uint64_t length) {
    std::memcpy(into, from, length * sizeof(Value));
  };
  memory.reduce = [](const std::byte* from, std::byte* into, std::uint64_t length) {
    for (std::uint64_t i = 0; i < length; ++i) {
      Value left = 0;
      Value right = 0;
      std::memcpy(&left, from + i * sizeof(Value), sizeof left);
      std::memcpy(&right, into + i * sizeof(Value), sizeof right);
      right = combined(left, right);
      std::memcpy(into + i * sizeof(Value), &right, sizeof right);
    }
  };
  return memory;
}

std::vector<std::unique_ptr<HostMemory>> memories_of(std::size_t ranks) {
  std::vector<std::unique_ptr<HostMemory>> memories;
  std::vector<HostMemory::Place> places;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    memories.push_back(HostMemory::make());
    places.push_back(memories.back()->place());
  }
  std::vector<int> numbers(ranks);
  std::iota(numbers.begin(), numbers.end(), 100);
  for (const auto& memory : memories) EXPECT_TRUE(memory->open_mates(numbers, places));
  return memories;
}

HostGroup group_of(const HostMemory& memory, std::size_t ranks, std::size_t own,
                   std::uint32_t context = 3) {
  std::vector<HostCell*> cells;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    cells.push_back(&memory.cell(100 + static_cast<int>(rank), context));
  return {std::move(cells), own};
}

void finish(HostGroup& group, std::size_t steps = 1) {
  std::array<StepIndex, 8> completed{};
  while (steps > 0) {
    steps -= group.poll(completed).value();
    std::this_thread::yield();
  }
}

Value value_of(std::uint32_t step, std::size_t rank, std::uint64_t place) {
  return step * 7919ULL + rank * 104'729ULL + place;
}

// What all ranks do in step number `step`.
struct Plan {
  explicit Plan(std::uint32_t step, std::size_t ranks) {
    std::mt19937 random(step);
    combines = random() % 2 == 0;
    root = static_cast<Rank>(random() % ranks);
    constexpr std::uint64_t most = most_in_host_memory / sizeof(Value);
    length = random() % 4 == 0 ? random() % (most + 1) : random() % 3;
  }
  bool combines;
  Rank root;
  std::uint64_t length;
};

void run_rank(const HostMemory& memory, std::size_t ranks, std::size_t own, std::uint32_t steps) {
  HostGroup group = group_of(memory, ranks, own);
  const CallMemory values = memory_of_values();
  NoMessages beside;
  for (std::uint32_t step = 0; step < steps; ++step) {
    const Plan plan(step, ranks);
    const bool is_root = plan.root == static_cast<Rank>(own);
    std::vector<Value> mine(plan.length);
    std::vector<Value> result(plan.length);
    for (std::uint64_t i = 0; i < plan.length; ++i) mine[i] = value_of(step, own, i);
    group.begin(values, sizeof(Value), beside);
    if (plan.combines) {
      group.start_group_reduce(0, plan.root, mine.data(), result.data(), plan.length).value();
    } else {
      group.start_group_bcast(0, plan.root, mine.data(), plan.length).value();
    }
    finish(group);
    ASSERT_FALSE(group.lengths_differ());
    for (std::uint64_t i = 0; i < plan.length; ++i) {
      if (!plan.combines) {
        ASSERT_EQ(mine[i], value_of(step, static_cast<std::size_t>(plan.root), i)) << step;
        continue;
      }
      Value expected = value_of(step, ranks - 1, i);
      for (std::size_t rank = ranks - 1; rank-- > 0;)
        expected = combined(value_of(step, rank, i), expected);
      ASSERT_EQ(result[i], is_root ? expected : 0) << step;
    }
  }
}

TEST(HostGroup, moves_and_combines_in_rank_order_whatever_the_roots_and_lengths) {
  for (const std::size_t ranks : {2U, 3U, 6U}) {
    const auto memories = memories_of(ranks);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      threads.emplace_back([&, rank] { run_rank(*memories[rank], ranks, rank, 2000); });
    for (std::thread& one : threads) one.join();
  }
}

// Two ranks in one thread.
class HostGroupPair : public testing::Test {
 protected:
  const std::vector<std::unique_ptr<HostMemory>> memories = memories_of(2);
  HostGroup root = group_of(*memories[0], 2, 0);
  HostGroup other = group_of(*memories[1], 2, 1);
  const CallMemory values = memory_of_values();
  NoMessages beside;
};

TEST_F(HostGroupPair, a_root_is_so_many_broadcasts_ahead_as_there_are_slots_and_waits_then) {
  std::array<Value, HostCell::slots + 1> sent{1, 2, 3, 4, 5};
  root.begin(values, sizeof(Value), beside);
  for (StepIndex step = 0; step < sent.size(); ++step)
    root.start_group_bcast(step, 0, &sent[step], 1).value();
  finish(root, HostCell::slots);
  std::array<StepIndex, 8> completed{};
  EXPECT_EQ(root.poll(completed).value(), 0U) << "nobody has read the first";
  for (const Value expected : sent) {
    Value came = 0;
    other.begin(values, sizeof(Value), beside);
    other.start_group_bcast(0, 0, &came, 1).value();
    finish(other);
    EXPECT_EQ(came, expected);
    if (expected == sent.front()) finish(root);
  }
}

TEST_F(HostGroupPair, without_data_a_reduction_tells_its_root_that_all_have_come) {
  std::array<StepIndex, 8> completed{};
  root.begin(values, 1, beside);
  root.start_group_reduce(0, 0, nullptr, nullptr, 0).value();
  EXPECT_EQ(root.poll(completed).value(), 0U);
  other.begin(values, 1, beside);
  other.start_group_reduce(0, 0, nullptr, nullptr, 0).value();
  EXPECT_EQ(other.poll(completed).value(), 1U) << "it waits for nobody";
  EXPECT_EQ(root.poll(completed).value(), 1U);
}

TEST_F(HostGroupPair, unlike_lengths_are_found_and_the_next_step_is_right) {
  std::array<Value, 2> sent{1, 2};
  std::array<Value, 2> came{};
  for (const std::uint64_t length : {2U, 1U}) {
    root.begin(values, sizeof(Value), beside);
    other.begin(values, sizeof(Value), beside);
    root.start_group_bcast(0, 0, sent.data(), length).value();
    other.start_group_bcast(0, 0, came.data(), 1).value();
    finish(root);
    finish(other);
    EXPECT_EQ(other.lengths_differ(), length == 2);
    EXPECT_EQ(came[0], length == 2 ? 0U : 1U);
  }
}

TEST_F(HostGroupPair, while_it_waits_the_transport_beside_is_driven) {
  Value came = 0;
  std::array<StepIndex, 8> completed{};
  root.begin(values, sizeof(Value), beside);
  root.start_group_bcast(0, 1, &came, 1).value();
  while (beside.driven < 2) EXPECT_EQ(root.poll(completed).value(), 0U);
}

TEST(HostMemory, is_not_taken_for_another_that_its_place_leads_to) {
  const auto one = HostMemory::make();
  const auto other = HostMemory::make();
  HostMemory::Place wrong = other->place();
  wrong.mark = one->place().mark;
  const std::array<int, 2> numbers{0, 1};
  const std::array<HostMemory::Place, 2> places{one->place(), wrong};
  EXPECT_FALSE(one->open_mates(numbers, places));
}

TEST(HostMemory, of_a_rank_that_has_none_is_not_to_be_had) {
  const auto one = HostMemory::make();
  const std::array<int, 2> numbers{0, 1};
  const std::array<HostMemory::Place, 2> places{one->place(), HostMemory::Place{}};
  EXPECT_FALSE(one->open_mates(numbers, places));
}

}  // namespace
}  // namespace quadrille
