// SPDX-License-Identifier: BSD-3-Clause
#include "wire/budget/sealed_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace quadrille::wire {
namespace {

constexpr unsigned kNoExecution = 8U;  // MFD_NOEXEC_SEAL, Linux 6.3

TEST(SealedMemory, cannot_be_executed_where_the_system_knows_such_a_file) {
  if (!Descriptor(memfd_create("probe", MFD_CLOEXEC | kNoExecution)))
    GTEST_SKIP() << "needs Linux 6.3";
  const Descriptor made = make_sealed_memory("quadrille-test", 4096);
  ASSERT_TRUE(made);
  struct stat file {};
  ASSERT_EQ(fstat(made.get(), &file), 0);
  EXPECT_EQ(file.st_mode & 0111U, 0U) << "vm.memfd_noexec=2 lets no other be made";
  EXPECT_NE(fchmod(made.get(), 0700), 0) << "for good";
  const auto place = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(made.get());
  EXPECT_TRUE(open_sealed_memory(place, "quadrille-test", 4096));
}

}  // namespace
}  // namespace quadrille::wire
