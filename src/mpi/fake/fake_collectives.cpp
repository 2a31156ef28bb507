// SPDX-License-Identifier: BSD-3-Clause
// Collectives: each rank brings what it sends, and takes its part when all have come.
#include <algorithm>
#include <cstdint>

#include "mpi/fake/fake_state.h"

namespace quadrille::fake {

std::shared_ptr<Meeting> arrive_at(FakeCommunicator& communicator, const std::string& key,
                                   std::size_t ranks, std::size_t rank, Bytes brought) {
  auto& meeting = communicator.meetings[key];
  if (!meeting) {
    meeting = std::make_shared<Meeting>();
    meeting->brought.resize(ranks);
    meeting->broken = communicator.broken;
  }
  const auto found = meeting;
  found->brought[rank] = std::move(brought);
  if (++found->arrived == ranks || found->broken) communicator.meetings.erase(key);
  note_progress();
  return found;
}

// Ranks that call different functions do not meet.
RequestPointer arrive(FakeCommunicator& communicator, Bytes brought,
                      std::function<int(const Meeting&)> take) {
  const auto rank = static_cast<std::size_t>(communicator.rank_of(own_rank()));
  auto request = std::make_shared<FakeRequest>();
  request->owner = own_rank();
  request->take = std::move(take);
  request->meeting = arrive_at(
      communicator, own_function() + std::to_string(communicator.of_rank[rank].meetings++),
      communicator.members.size(), rank, std::move(brought));
  return request;
}

namespace {

struct Buffer {
  void* address;
  int count;
  MPI_Datatype type;

  std::byte* block(std::int64_t elements) const {
    return static_cast<std::byte*>(address) + elements * find_type(type)->extent;
  }
  int put(const Bytes& bytes, std::int64_t elements = 0) const {
    return unpacked(bytes, block(elements), count, *find_type(type));
  }
  Bytes get() const { return packed(address, count, *find_type(type)); }
};

// What MPI_IN_PLACE stands for.
Buffer sent_buffer(const void* address, int count, MPI_Datatype type, Buffer instead) {
  return address == MPI_IN_PLACE ? instead : Buffer{const_cast<void*>(address), count, type};
}

int run_blocking(Entered& entered, MPI_Comm comm, Bytes brought,
                 std::function<int(const Meeting&)> take) {
  const auto request = arrive(*find_communicator(comm), std::move(brought), std::move(take));
  const MPI_Request handle = handle_of(request);
  const int code = wait_for(entered.lock(), *request);
  state().requests.erase(handle);
  return code == MPI_SUCCESS ? code : raise_error(entered.lock(), comm, code);
}

std::size_t own_rank_on(MPI_Comm comm) {
  return static_cast<std::size_t>(find_communicator(comm)->rank_of(own_rank()));
}

std::size_t size_of(MPI_Comm comm) { return find_communicator(comm)->members.size(); }

std::function<int(const Meeting&)> take_reduced(const Buffer& receive, MPI_Op op) {
  return [receive, op](const Meeting& meeting) {
    return receive.put(combined(meeting, meeting.brought.size(), op, receive.type));
  };
}

std::function<int(const Meeting&)> take_from_root(const Buffer& buffer, int root) {
  return [buffer, root](const Meeting& meeting) {
    return buffer.put(meeting.brought[static_cast<std::size_t>(root)]);
  };
}

int take_nothing(const Meeting&) { return MPI_SUCCESS; }

std::function<int(const Meeting&)> take_all(const Buffer& receive) {
  return [receive](const Meeting& meeting) {
    int code = MPI_SUCCESS;
    for (std::size_t rank = 0; rank < meeting.brought.size() && code == MPI_SUCCESS; ++rank)
      code = receive.put(meeting.brought[rank], static_cast<std::int64_t>(rank) * receive.count);
    return code;
  };
}

std::function<int(const Meeting&)> take_all(void* address, const int counts[], const int places[],
                                            MPI_Datatype type) {
  return [=](const Meeting& meeting) {
    int code = MPI_SUCCESS;
    for (std::size_t rank = 0; rank < meeting.brought.size() && code == MPI_SUCCESS; ++rank) {
      const Buffer receive{address, counts[rank], type};
      code = receive.put(meeting.brought[rank], places[rank]);
    }
    return code;
  };
}

}  // namespace
}  // namespace quadrille::fake

namespace fake = quadrille::fake;
using fake::Buffer;

int PMPI_Barrier(MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Barrier", comm);
  return fake::run_blocking(entered, comm, {}, fake::take_nothing);
}

int PMPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Bcast", comm);
  const Buffer whole{buffer, count, type};
  const bool is_root = static_cast<int>(fake::own_rank_on(comm)) == root;
  return fake::run_blocking(entered, comm, is_root ? whole.get() : fake::Bytes{},
                            fake::take_from_root(whole, root));
}

int PMPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                MPI_Request* request) {
  FAKE_ENTRY("PMPI_Ibcast", comm);
  const Buffer whole{buffer, count, type};
  const bool is_root = static_cast<int>(fake::own_rank_on(comm)) == root;
  *request = fake::handle_of(fake::arrive(*fake::find_communicator(comm),
                                          is_root ? whole.get() : fake::Bytes{},
                                          fake::take_from_root(whole, root)));
  return MPI_SUCCESS;
}

int PMPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Allreduce", comm);
  const Buffer into{receive, count, type};
  return fake::run_blocking(entered, comm, fake::sent_buffer(send, count, type, into).get(),
                            fake::take_reduced(into, op));
}

int PMPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm, MPI_Request* request) {
  FAKE_ENTRY("PMPI_Iallreduce", comm);
  const Buffer into{receive, count, type};
  *request = fake::handle_of(fake::arrive(*fake::find_communicator(comm),
                                          fake::sent_buffer(send, count, type, into).get(),
                                          fake::take_reduced(into, op)));
  return MPI_SUCCESS;
}

int PMPI_Reduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Reduce", comm);
  const Buffer into{receive, count, type};
  const bool is_root = static_cast<int>(fake::own_rank_on(comm)) == root;
  return fake::run_blocking(entered, comm, fake::sent_buffer(send, count, type, into).get(),
                            is_root ? fake::take_reduced(into, op) : fake::take_nothing);
}

int PMPI_Ireduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
                 MPI_Comm comm, MPI_Request* request) {
  FAKE_ENTRY("PMPI_Ireduce", comm);
  const Buffer into{receive, count, type};
  const bool is_root = static_cast<int>(fake::own_rank_on(comm)) == root;
  *request = fake::handle_of(
      fake::arrive(*fake::find_communicator(comm), fake::sent_buffer(send, count, type, into).get(),
                   is_root ? fake::take_reduced(into, op) : fake::take_nothing));
  return MPI_SUCCESS;
}

int PMPI_Scan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
              MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Scan", comm);
  const Buffer into{receive, count, type};
  const std::size_t end = fake::own_rank_on(comm) + 1;
  return fake::run_blocking(entered, comm, fake::sent_buffer(send, count, type, into).get(),
                            [=](const fake::Meeting& meeting) {
                              return into.put(fake::combined(meeting, end, op, type));
                            });
}

int PMPI_Allgather(const void* send, int count, MPI_Datatype type, void* receive, int into_count,
                   MPI_Datatype into_type, MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Allgather", comm);
  const Buffer into{receive, into_count, into_type};
  const auto own = static_cast<std::int64_t>(fake::own_rank_on(comm)) * into_count;
  const Buffer in_place{into.block(own), into_count, into_type};
  return fake::run_blocking(entered, comm, fake::sent_buffer(send, count, type, in_place).get(),
                            fake::take_all(into));
}

int PMPI_Allgatherv(const void* send, int count, MPI_Datatype type, void* receive,
                    const int counts[], const int places[], MPI_Datatype into_type, MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Allgatherv", comm);
  const std::size_t own = fake::own_rank_on(comm);
  const Buffer in_place{Buffer{receive, 0, into_type}.block(places[own]), counts[own], into_type};
  return fake::run_blocking(entered, comm, fake::sent_buffer(send, count, type, in_place).get(),
                            fake::take_all(receive, counts, places, into_type));
}

int PMPI_Gather(const void* send, int count, MPI_Datatype type, void* receive, int into_count,
                MPI_Datatype into_type, int root, MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Gather", comm);
  const bool is_root = static_cast<int>(fake::own_rank_on(comm)) == root;
  if (!is_root)
    return fake::run_blocking(entered, comm, Buffer{const_cast<void*>(send), count, type}.get(),
                              fake::take_nothing);
  const Buffer into{receive, into_count, into_type};
  const Buffer in_place{into.block(static_cast<std::int64_t>(root) * into_count), into_count,
                        into_type};
  return fake::run_blocking(entered, comm, fake::sent_buffer(send, count, type, in_place).get(),
                            fake::take_all(into));
}

int PMPI_Gatherv(const void* send, int count, MPI_Datatype type, void* receive, const int counts[],
                 const int places[], MPI_Datatype into_type, int root, MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Gatherv", comm);
  const std::size_t own = fake::own_rank_on(comm);
  if (static_cast<int>(own) != root)
    return fake::run_blocking(entered, comm, Buffer{const_cast<void*>(send), count, type}.get(),
                              fake::take_nothing);
  const Buffer in_place{Buffer{receive, 0, into_type}.block(places[own]), counts[own], into_type};
  return fake::run_blocking(entered, comm, fake::sent_buffer(send, count, type, in_place).get(),
                            fake::take_all(receive, counts, places, into_type));
}

int PMPI_Alltoall(const void* send, int count, MPI_Datatype type, void* receive, int into_count,
                  MPI_Datatype into_type, MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Alltoall", comm);
  const Buffer into{receive, into_count, into_type};
  Buffer from = fake::sent_buffer(send, count, type, into);
  const auto block = static_cast<std::size_t>(from.count * fake::find_type(from.type)->size());
  from.count *= static_cast<int>(fake::size_of(comm));
  const std::size_t own = fake::own_rank_on(comm);
  return fake::run_blocking(entered, comm, from.get(), [=](const fake::Meeting& meeting) {
    int code = MPI_SUCCESS;
    for (std::size_t rank = 0; rank < meeting.brought.size() && code == MPI_SUCCESS; ++rank) {
      const auto* theirs = meeting.brought[rank].data() + own * block;
      code = into.put({theirs, theirs + block}, static_cast<std::int64_t>(rank) * into_count);
    }
    return code;
  });
}
