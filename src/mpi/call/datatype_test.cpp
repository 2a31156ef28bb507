// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/datatype.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "mpi/fake/fake_job.h"
#include "mpi/intercept/next.h"

namespace quadrille {
namespace {

// A type that goes with its scope.
class MadeType {
 public:
  template <typename Make>
  explicit MadeType(Make&& make) {
    make(&handle_);
    PMPI_Type_commit(&handle_);
  }
  MadeType(const MadeType&) = delete;
  MadeType& operator=(const MadeType&) = delete;
  ~MadeType() { PMPI_Type_free(&handle_); }
  MPI_Datatype get() const { return handle_; }

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

void on_one_rank(const std::function<void()>& check) {
  set_next_symbol_lookup(&fake::look_up);
  fake::FakeJob job(1);
  job.run([&](int) { check(); });
  EXPECT_EQ(job.datatypes(), 0U);
}

TEST(Datatype, APredefinedOneIsOneRun) {
  on_one_rank([] {
    const Layout layout = layout_of(MPI_DOUBLE);
    EXPECT_EQ(layout.size, 8U);
    EXPECT_EQ(layout.extent, 8);
    EXPECT_TRUE(layout.contiguous);
    EXPECT_TRUE(layout.predefined);
  });
}

TEST(Datatype, ARowOfElementsIsOneRunAndAVectorWithGapsIsNot) {
  on_one_rank([] {
    const MadeType row([](auto* made) { PMPI_Type_contiguous(5, MPI_INT, made); });
    EXPECT_TRUE(layout_of(row.get()).contiguous);
    EXPECT_FALSE(layout_of(row.get()).predefined);
    const MadeType rows([&](auto* made) { PMPI_Type_contiguous(2, row.get(), made); });
    EXPECT_TRUE(layout_of(rows.get()).contiguous);
    EXPECT_EQ(layout_of(rows.get()).size, 40U);
    const MadeType gaps([](auto* made) { PMPI_Type_vector(2, 1, 2, MPI_INT, made); });
    EXPECT_FALSE(layout_of(gaps.get()).contiguous);
    EXPECT_EQ(layout_of(gaps.get()).extent, 12);
    const MadeType wide([](auto* made) { PMPI_Type_create_resized(MPI_INT, 0, 8, made); });
    EXPECT_FALSE(layout_of(wide.get()).contiguous);
    EXPECT_EQ(layout_of(wide.get()).true_extent, 4);
  });
}

// Size and extent are those of one run, and yet the order is another.
TEST(Datatype, BlocksThatRunBackwardsAreNoRun) {
  on_one_rank([] {
    const std::array lengths{1, 1};
    const std::array<MPI_Aint, 2> forwards{0, 4};
    const std::array<MPI_Aint, 2> backwards{4, 0};
    const std::array types{MPI_INT, MPI_INT};
    const MadeType right([&](auto* made) {
      PMPI_Type_create_struct(2, lengths.data(), forwards.data(), types.data(), made);
    });
    EXPECT_TRUE(layout_of(right.get()).contiguous);
    const MadeType wrong([&](auto* made) {
      PMPI_Type_create_hindexed(2, lengths.data(), backwards.data(), MPI_INT, made);
    });
    EXPECT_EQ(layout_of(wrong.get()).size, 8U);
    EXPECT_EQ(layout_of(wrong.get()).extent, 8);
    EXPECT_FALSE(layout_of(wrong.get()).contiguous);
  });
}

TEST(Datatype, PacksAndUnpacks) {
  on_one_rank([] {
    const MadeType gaps([](auto* made) { PMPI_Type_vector(2, 1, 2, MPI_INT, made); });
    const MadeType element([&](auto* made) { PMPI_Type_create_resized(gaps.get(), 0, 16, made); });
    const Layout layout = layout_of(element.get());
    const std::array from{1, 2, 3, 4, 5, 6, 7, 8};
    std::array<std::byte, 16> bytes{};
    EXPECT_EQ(pack(from.data(), 2, element.get(), layout, bytes.data()), MPI_SUCCESS);
    std::array<int, 8> into{};
    EXPECT_EQ(unpack(bytes.data(), into.data(), 2, element.get(), layout), MPI_SUCCESS);
    EXPECT_EQ(into, (std::array{1, 0, 3, 0, 5, 0, 7, 0}));
  });
}

TEST(Datatype, TellsOfAFailureToPack) {
  set_next_symbol_lookup(&fake::look_up);
  fake::FakeJob job(1);
  job.fail({"PMPI_Pack", 0, 1, MPI_ERR_QUOTA});
  job.fail({"PMPI_Unpack", 0, 1, MPI_ERR_QUOTA});
  job.run([](int) {
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    int number = 3;
    std::array<std::byte, 4> bytes{};
    const Layout layout = layout_of(MPI_INT);
    EXPECT_EQ(pack(&number, 1, MPI_INT, layout, bytes.data()), MPI_ERR_QUOTA);
    EXPECT_EQ(unpack(bytes.data(), &number, 1, MPI_INT, layout), MPI_ERR_QUOTA);
  });
}

// At no address, without bytes: nothing is asked of the MPI library.
TEST(Datatype, PacksNothing) {
  on_one_rank([] {
    const MadeType nothing([](auto* made) { PMPI_Type_contiguous(0, MPI_INT, made); });
    const Layout layout = layout_of(nothing.get());
    EXPECT_TRUE(layout.contiguous);
    EXPECT_EQ(pack(nullptr, 7, nothing.get(), layout, nullptr), MPI_SUCCESS);
  });
}

TEST(Datatype, CombinesWhatTheStandardDefines) {
  on_one_rank([] {
    EXPECT_TRUE(may_combine(MPI_SUM, MPI_DOUBLE));
    EXPECT_FALSE(may_combine(MPI_BAND, MPI_DOUBLE));
    EXPECT_TRUE(may_combine(MPI_BAND, MPI_BYTE));
    EXPECT_FALSE(may_combine(MPI_SUM, MPI_BYTE));
    EXPECT_TRUE(is_exact(MPI_SUM, MPI_INT));
    EXPECT_FALSE(is_exact(MPI_SUM, MPI_DOUBLE));
  });
}

}  // namespace
}  // namespace quadrille
