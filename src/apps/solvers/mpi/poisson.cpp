// SPDX-License-Identifier: BSD-3-Clause
// Each rank has a box of the cube: faces go to its neighbours by messages, sums by MPI_Allreduce.
#include <cmath>
#include <vector>

#include "apps/solvers/mpi/job.h"
#include "apps/solvers/poisson_box.h"

namespace quadrille::solvers {
namespace {

constexpr double kLooserThanGoal = 10;  // the recurrence of the residual and the residual differ

// The box of this rank, and the messages of its six sides.
class Share {
 public:
  Share(const Job& job, int length)
      : communicator_(grid(job)), box_(length, own_box(job, communicator_, length)) {
    for (int side = 0; side < PoissonBox::sides; ++side) {
      int low = 0;
      int high = 0;
      MPI_Cart_shift(communicator_, side / 2, 1, &low, &high);
      neighbours_[static_cast<std::size_t>(side)] = side % 2 == 0 ? low : high;
      out_[static_cast<std::size_t>(side)].resize(box_.face_elements(side));
      in_[static_cast<std::size_t>(side)].resize(box_.face_elements(side));
    }
  }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;
  ~Share() { MPI_Comm_free(&communicator_); }

  PoissonBox& box() { return box_; }

  double sum(double share) const {
    double total = 0;
    MPI_Allreduce(&share, &total, 1, MPI_DOUBLE, MPI_SUM, communicator_);
    return total;
  }

  void exchange() {
    std::array<MPI_Request, std::size_t{2} * PoissonBox::sides> requests{};
    int count = 0;
    for (int side = 0; side < PoissonBox::sides; ++side) {
      auto& face = in_[static_cast<std::size_t>(side)];
      MPI_Irecv(face.data(), static_cast<int>(face.size()), MPI_DOUBLE, neighbour(side), side ^ 1,
                communicator_, &requests.at(static_cast<std::size_t>(count++)));
    }
    for (int side = 0; side < PoissonBox::sides; ++side) {
      auto& face = out_[static_cast<std::size_t>(side)];
      box_.copy_face(side, face);
      MPI_Isend(face.data(), static_cast<int>(face.size()), MPI_DOUBLE, neighbour(side), side,
                communicator_, &requests.at(static_cast<std::size_t>(count++)));
    }
    MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    for (int side = 0; side < PoissonBox::sides; ++side)
      if (neighbour(side) != MPI_PROC_NULL)
        box_.set_halo(side, in_[static_cast<std::size_t>(side)]);
  }

 private:
  static MPI_Comm grid(const Job& job) {
    std::array<int, 3> boxes{};
    const std::array<int, 3> periodic{};
    MPI_Dims_create(job.ranks, 3, boxes.data());
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 3, boxes.data(), periodic.data(), 0, &made);
    return made;
  }
  static std::array<Extent, 3> own_box(const Job& job, MPI_Comm communicator, int length) {
    std::array<int, 3> boxes{};
    std::array<int, 3> periodic{};
    std::array<int, 3> place{};
    MPI_Cart_get(communicator, 3, boxes.data(), periodic.data(), place.data());
    static_cast<void>(job);
    return {part_of(length, boxes[0], place[0]), part_of(length, boxes[1], place[1]),
            part_of(length, boxes[2], place[2])};
  }
  int neighbour(int side) const { return neighbours_[static_cast<std::size_t>(side)]; }

  MPI_Comm communicator_;
  PoissonBox box_;
  std::array<int, PoissonBox::sides> neighbours_{};
  std::array<std::vector<double>, PoissonBox::sides> out_;
  std::array<std::vector<double>, PoissonBox::sides> in_;
};

double slowest_rank(double own) {
  double most = 0;
  MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

}  // namespace

Outcome solve_poisson(const Job& job, const Poisson& problem) {
  Share share(job, problem.length);
  PoissonBox& box = share.box();
  std::array<Pacing, 3> pacing;
  const auto own_ns = [&](std::size_t phase) { return problem.computing_ns[phase] / job.ranks; };
  const double at_start = share.sum(box.start());
  share.exchange();  // connections are made
  double square = at_start;
  Outcome outcome;
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (; square > at_start * problem.goal * problem.goal && outcome.steps < problem.most_iterations;
       ++outcome.steps) {
    share.exchange();
    pacing[0].begin();
    const double applied = box.apply();
    pacing[0].end(own_ns(0));
    const double alpha = square / share.sum(applied);
    pacing[1].begin();
    const double advanced = box.advance(alpha);
    pacing[1].end(own_ns(1));
    const double next = share.sum(advanced);
    pacing[2].begin();
    box.turn(next / square);
    pacing[2].end(own_ns(2));
    square = next;
  }
  outcome.seconds = slowest_rank(MPI_Wtime() - began);
  double late = 0;
  for (std::size_t phase = 0; phase < pacing.size(); ++phase) {
    outcome.computing_ns[phase] = static_cast<double>(pacing[phase].computed_ns()) / outcome.steps;
    late += static_cast<double>(pacing[phase].late_ns()) * 1e-9;
  }
  outcome.late_share = slowest_rank(late) / outcome.seconds;
  box.look_at_solution();
  share.exchange();
  outcome.error = std::sqrt(share.sum(box.residual_share()) / at_start);
  outcome.correct = outcome.error <= kLooserThanGoal * problem.goal;
  outcome.verified = "what the solution leaves over of the right hand side";
  return outcome;
}

}  // namespace quadrille::solvers
