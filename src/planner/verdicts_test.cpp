// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verdicts.h"

#include <gtest/gtest.h>

#include <string>

namespace quadrille {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;
constexpr Verdicts::Key kOne{0xfedcba9876543210ULL, 0x10000000004ULL};
constexpr Verdicts::Key kOther{1, 2};

std::string written_by_one_job() {
  Verdicts job;
  job.learn(kOne, {"alltoall_granted", "mpi", kNow});
  return job.joined_with("", kNow);
}

TEST(Verdicts, a_later_job_knows_them) {
  Verdicts later;
  later.read(written_by_one_job(), kNow + 100);
  const Verdicts::Verdict* found = later.find(kOne);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->chosen, "alltoall_granted");
  EXPECT_EQ(found->rival, "mpi");
  EXPECT_EQ(later.find(kOther), nullptr);
  EXPECT_FALSE(later.has_learnt());
}

TEST(Verdicts, what_this_job_learns_changes_none_of_its_own_decisions) {
  Verdicts job;
  job.learn(kOne, {"alltoall_granted", "mpi", kNow});
  EXPECT_TRUE(job.has_learnt());
  EXPECT_EQ(job.find(kOne), nullptr) << "other ranks may not have got so far";
}

TEST(Verdicts, two_jobs_at_once_keep_what_both_have_learnt) {
  Verdicts other;
  other.learn(kOther, {"mpi", "bcast_chain:segment=8192", kNow});
  other.learn(kOne, {"mpi", "alltoall_granted", kNow - 5});
  Verdicts later;
  later.read(other.joined_with(written_by_one_job(), kNow), kNow);
  ASSERT_NE(later.find(kOther), nullptr);
  EXPECT_EQ(later.find(kOther)->rival, "bcast_chain:segment=8192");
  ASSERT_NE(later.find(kOne), nullptr);
  EXPECT_EQ(later.find(kOne)->chosen, "alltoall_granted") << "the newer one";
}

TEST(Verdicts, they_are_forgotten_after_some_days) {
  Verdicts later;
  later.read(written_by_one_job(), kNow + Verdicts::expiry_s);
  EXPECT_EQ(later.find(kOne), nullptr);
}

TEST(Verdicts, what_is_no_verdict_is_left_out) {
  const std::string good = written_by_one_job();
  for (const std::string& text :
       {std::string("nothing of the kind\n") + good.substr(good.find('\n') + 1), std::string(),
        std::string("\0\xff", 2), good.substr(0, good.size() / 2)}) {
    Verdicts later;
    later.read(text, kNow);
    EXPECT_EQ(later.find(kOne), nullptr) << text;
  }
  Verdicts later;
  later.read(good + "not a line\n1 2 3\n1 2 1800000000 a b c\n", kNow);
  EXPECT_NE(later.find(kOne), nullptr);
  EXPECT_EQ(later.find(kOther), nullptr);
}

TEST(Verdicts, a_file_does_not_grow_for_ever) {
  Verdicts job;
  for (std::uint64_t i = 0; i < 2 * Verdicts::most_kept; ++i)
    job.learn({i, 0}, {"mpi", "bcast_binomial", kNow - 1000 + static_cast<std::int64_t>(i % 1000)});
  Verdicts later;
  later.read(job.joined_with("", kNow), kNow);
  EXPECT_EQ(later.find({0, 0}), nullptr) << "the oldest";
  EXPECT_NE(later.find({999, 0}), nullptr) << "the newest";
}

TEST(Verdicts, other_places_of_ranks_have_others) {
  TopologyView by_block{{0, 0, 1, 1}, {0, 0}};
  TopologyView cyclic{{0, 1, 0, 1}, {0, 0}};
  EXPECT_NE(fingerprint_of(by_block), fingerprint_of(cyclic));
  TopologyView with_wire = by_block;
  with_wire.has_wire = true;
  EXPECT_NE(fingerprint_of(by_block), fingerprint_of(with_wire));
  EXPECT_EQ(fingerprint_of(by_block), fingerprint_of(TopologyView{{0, 0, 1, 1}, {0, 0}}));
}

}  // namespace
}  // namespace quadrille
