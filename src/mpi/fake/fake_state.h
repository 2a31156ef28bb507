// SPDX-License-Identifier: BSD-3-Clause
// What the fake's functions share. All of it is behind one lock.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mpi/fake/fake_job.h"

namespace quadrille::fake {

using Bytes = std::vector<std::byte>;

struct Run {  // of bytes, in a type's order
  std::int64_t place = 0;
  std::int64_t bytes = 0;
};

struct FakeType {
  std::vector<Run> runs;
  std::int64_t lower = 0;
  std::int64_t extent = 0;
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers = {};
  std::vector<MPI_Aint> addresses = {};
  std::vector<MPI_Datatype> types = {};
  bool committed = true;

  std::int64_t size() const;
  std::int64_t true_lower() const;
  std::int64_t true_upper() const;
};
using TypePointer = std::shared_ptr<FakeType>;

// A collective operation: each rank brings bytes, and all are there when the last has come.
struct Meeting {
  std::vector<Bytes> brought;
  std::size_t arrived = 0;
  bool broken = false;
  mutable std::map<std::vector<int>, MPI_Comm> made = {};  // communicators, by their members
};

struct FakeCommunicator {
  struct OfRank {
    MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
    std::vector<std::pair<int, void*>> attributes = {};
    std::uint64_t meetings = 0;
    bool freed = false;
  };
  MPI_Comm handle = MPI_COMM_NULL;
  std::vector<int> members;  // world ranks
  std::vector<OfRank> of_rank;
  std::map<std::string, std::shared_ptr<Meeting>> meetings = {};
  bool broken = false;  // a rank has failed to come to a meeting

  int rank_of(int world_rank) const;  // or MPI_UNDEFINED
};
using CommunicatorPointer = std::shared_ptr<FakeCommunicator>;

struct Envelope {
  MPI_Comm comm = MPI_COMM_NULL;
  int source = 0;
  int tag = 0;
  Bytes data = {};
};

struct FakeRequest {
  int owner = 0;
  bool is_receive = false;
  bool complete = false;
  int code = MPI_SUCCESS;
  Envelope wanted = {};  // of a receive
  void* buffer = nullptr;
  int count = 0;
  TypePointer type = nullptr;
  MPI_Status status = {};
  std::shared_ptr<Meeting> meeting = nullptr;
  std::function<int(const Meeting&)> take = nullptr;  // a meeting's result, on its owner's thread
};
using RequestPointer = std::shared_ptr<FakeRequest>;

struct FakeRank {
  std::list<RequestPointer> posted = {};
  std::deque<Envelope> unexpected = {};
  std::map<MPI_Message, Envelope> probed = {};
  CallCounts calls = {};
  std::uint64_t seen_progress = 0;
  int idle_polls = 0;
  bool ended = true;
};

struct FakeAttribute {
  MPI_Comm_delete_attr_function* forget = nullptr;
  void* extra = nullptr;
};

struct State {
  std::mutex mutex;
  std::vector<FakeRank> ranks;
  std::map<MPI_Comm, CommunicatorPointer> communicators;
  std::vector<CommunicatorPointer> selves;
  std::map<MPI_Datatype, TypePointer> types;
  std::map<MPI_Group, std::vector<int>> groups;
  std::map<MPI_Request, RequestPointer> requests;
  std::map<int, FakeAttribute> keys;
  std::map<MPI_Errhandler, MPI_Comm_errhandler_function*> handlers;
  std::map<MPI_Op, std::pair<MPI_User_function*, bool>> operations;
  std::map<int, int> size_lies;
  bool frees_with_failed = false;
  std::vector<Fault> faults;
  int next_handle = 1;
  std::uint64_t progress = 0;
  bool fault_met = false;
  int releases = 0;
  std::size_t met = 0;  // ranks in FakeJob::meet(), ever
  bool aborted = false;
};

using Lock = std::unique_lock<std::mutex>;

State& state();
int own_rank();
const char* own_function();  // that this thread is in
int new_handle(int kind);    // the kind is in a handle's highest bits, as in MPICH

// One call of a function: counts it. `failure()` is what it must return at once, unless
// MPI_SUCCESS: the error handler has been called then. Holds the lock.
class Entered {
 public:
  explicit Entered(const char* function, MPI_Comm comm = MPI_COMM_WORLD);
  int failure() const { return failure_; }
  Lock& lock() { return lock_; }

 private:
  Lock lock_;
  int failure_ = MPI_SUCCESS;
};

#define FAKE_ENTRY(...)               \
  fake::Entered entered(__VA_ARGS__); \
  if (entered.failure() != MPI_SUCCESS) return entered.failure()

// Calls the communicator's error handler, without the lock; returns the code.
int raise_error(Lock& lock, MPI_Comm comm, int code);

CommunicatorPointer find_communicator(MPI_Comm comm);
TypePointer find_type(MPI_Datatype type);  // or null

Bytes packed(const void* from, std::int64_t count, const FakeType& type);
// MPI_ERR_TRUNCATE where there is more than fits.
int unpacked(const Bytes& from, void* into, std::int64_t count, const FakeType& type);

// Combines what ranks have brought, in their order; of ranks below `end` alone.
Bytes combined(const Meeting& meeting, std::size_t end, MPI_Op op, MPI_Datatype type);

// This rank's part in the next collective of the communicator.
RequestPointer arrive(FakeCommunicator& communicator, Bytes brought,
                      std::function<int(const Meeting&)> take);
std::shared_ptr<Meeting> arrive_at(FakeCommunicator& communicator, const std::string& key,
                                   std::size_t ranks, std::size_t rank, Bytes brought);

MPI_Request handle_of(RequestPointer request);
// Whether the request is complete, after what its owner has to do for it.
bool is_complete(FakeRequest& request);
// Waits for it and returns its code.
int wait_for(Lock& lock, FakeRequest& request);
// A look that has found nothing. Lets others go on.
void idle(Lock& lock);
// Something has happened for which others may have waited.
void note_progress();

MPI_Comm make_communicator(std::vector<int> members);
// Deletes attributes as MPI_Comm_free does.
int delete_attributes(Lock& lock, MPI_Comm comm);

}  // namespace quadrille::fake
