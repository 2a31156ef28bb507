// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks, and requests. A message is copied when it is sent; a receive gets its
// data at once, whichever of both comes last.
#include <algorithm>
#include <cstdint>

#include "mpi/fake/fake_state.h"

namespace quadrille::fake {
namespace {

constexpr int request_kind = static_cast<int>(0x98000000U);
constexpr int message_kind = static_cast<int>(0xac000000U);

bool matches(const Envelope& wanted, const Envelope& message) {
  return wanted.comm == message.comm &&
         (wanted.source == MPI_ANY_SOURCE || wanted.source == message.source) &&
         (wanted.tag == MPI_ANY_TAG || wanted.tag == message.tag);
}

MPI_Status status_of(const Envelope& message, int code) {
  MPI_Status status{};
  status.count_lo = static_cast<int>(message.data.size());
  status.MPI_SOURCE = message.source;
  status.MPI_TAG = message.tag;
  status.MPI_ERROR = code;
  return status;
}

void deliver(const Envelope& message, FakeRequest& request) {
  request.code = unpacked(message.data, request.buffer, request.count, *request.type);
  request.status = status_of(message, request.code);
  request.complete = true;
  note_progress();
}

FakeRank& rank(int number) { return state().ranks[static_cast<std::size_t>(number)]; }

void send(FakeCommunicator& communicator, Bytes data, int to, int tag) {
  FakeRank& receiver = rank(communicator.members[static_cast<std::size_t>(to)]);
  const Envelope message{communicator.handle, communicator.rank_of(own_rank()), tag,
                         std::move(data)};
  note_progress();
  const auto waiting = std::ranges::find_if(
      receiver.posted, [&](const auto& request) { return matches(request->wanted, message); });
  if (waiting == receiver.posted.end()) {
    receiver.unexpected.push_back(message);
    return;
  }
  deliver(message, **waiting);
  receiver.posted.erase(waiting);
}

void receive(const RequestPointer& request) {
  auto& messages = rank(own_rank()).unexpected;
  note_progress();
  const auto found = std::ranges::find_if(
      messages, [&](const Envelope& message) { return matches(request->wanted, message); });
  if (found == messages.end()) {
    rank(own_rank()).posted.push_back(request);
    return;
  }
  deliver(*found, *request);
  messages.erase(found);
}

RequestPointer receive_request(const FakeCommunicator& communicator, void* buffer, int count,
                               TypePointer type, int source, int tag) {
  auto request = std::make_shared<FakeRequest>();
  request->owner = own_rank();
  request->is_receive = true;
  request->wanted = {communicator.handle, source, tag};
  request->buffer = buffer;
  request->count = count;
  request->type = std::move(type);
  return request;
}

void give_up(const RequestPointer& request) {
  request->complete = true;
  std::erase(rank(request->owner).posted, request);
}

void put(MPI_Status* status, const FakeRequest& request) {
  if (status != MPI_STATUS_IGNORE) *status = request.status;
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = request.code;
}

}  // namespace

MPI_Request handle_of(RequestPointer request) {
  const MPI_Request handle = new_handle(request_kind);
  state().requests[handle] = std::move(request);
  return handle;
}

bool is_complete(FakeRequest& request) {
  if (request.complete) return true;
  if (!request.meeting) return false;
  if (request.meeting->broken) {
    request.code = released_code;
  } else if (request.meeting->arrived < request.meeting->brought.size()) {
    return false;
  } else {
    request.code = request.take(*request.meeting);
  }
  request.complete = true;
  note_progress();
  return true;
}

int wait_for(Lock& lock, FakeRequest& request) {
  while (!is_complete(request)) idle(lock);
  return request.code;
}

}  // namespace quadrille::fake

namespace fake = quadrille::fake;

int PMPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  FAKE_ENTRY("PMPI_Isend", comm);
  const auto communicator = fake::find_communicator(comm);
  const auto found = fake::find_type(type);
  if (!found) return fake::raise_error(entered.lock(), comm, MPI_ERR_TYPE);
  fake::send(*communicator, fake::packed(buffer, count, *found), to, tag);
  auto made = std::make_shared<fake::FakeRequest>();
  made->owner = fake::own_rank();
  made->complete = true;
  *request = fake::handle_of(std::move(made));
  return MPI_SUCCESS;
}

int PMPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Send", comm);
  const auto communicator = fake::find_communicator(comm);
  const auto found = fake::find_type(type);
  if (!found) return fake::raise_error(entered.lock(), comm, MPI_ERR_TYPE);
  fake::send(*communicator, fake::packed(buffer, count, *found), to, tag);
  return MPI_SUCCESS;
}

int PMPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request* request) {
  FAKE_ENTRY("PMPI_Irecv", comm);
  const auto communicator = fake::find_communicator(comm);
  const auto found = fake::find_type(type);
  if (!found) return fake::raise_error(entered.lock(), comm, MPI_ERR_TYPE);
  auto made = fake::receive_request(*communicator, buffer, count, found, from, tag);
  fake::receive(made);
  *request = fake::handle_of(std::move(made));
  return MPI_SUCCESS;
}

int PMPI_Sendrecv(const void* from, int count, MPI_Datatype type, int to, int tag, void* into,
                  int into_count, MPI_Datatype into_type, int source, int into_tag, MPI_Comm comm,
                  MPI_Status* status) {
  FAKE_ENTRY("PMPI_Sendrecv", comm);
  const auto communicator = fake::find_communicator(comm);
  const auto sent = fake::find_type(type);
  const auto received = fake::find_type(into_type);
  if (!sent || !received) return fake::raise_error(entered.lock(), comm, MPI_ERR_TYPE);
  const auto made =
      fake::receive_request(*communicator, into, into_count, received, source, into_tag);
  fake::send(*communicator, fake::packed(from, count, *sent), to, tag);
  fake::receive(made);
  const MPI_Request handle = fake::handle_of(made);
  const int code = fake::wait_for(entered.lock(), *made);
  fake::state().requests.erase(handle);
  fake::put(status, *made);
  return code == MPI_SUCCESS ? code : fake::raise_error(entered.lock(), comm, code);
}

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  FAKE_ENTRY("PMPI_Test");
  *flag = 1;
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  const auto found = fake::state().requests.at(*request);
  if (!fake::is_complete(*found)) {
    *flag = 0;
    fake::idle(entered.lock());
    return MPI_SUCCESS;
  }
  fake::state().requests.erase(*request);
  *request = MPI_REQUEST_NULL;
  fake::put(status, *found);
  return found->code;
}

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  FAKE_ENTRY("PMPI_Wait");
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  const auto found = fake::state().requests.at(*request);
  const int code = fake::wait_for(entered.lock(), *found);
  fake::state().requests.erase(*request);
  *request = MPI_REQUEST_NULL;
  fake::put(status, *found);
  return code;
}

int PMPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  FAKE_ENTRY("PMPI_Testall");
  auto& all = fake::state().requests;
  *flag = 1;
  bool any_failed = false;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    auto& request = *all.at(requests[i]);
    if (!fake::is_complete(request)) *flag = 0;
    any_failed = any_failed || request.code != MPI_SUCCESS;
  }
  if (*flag == 0 && !any_failed) {
    fake::idle(entered.lock());
    return MPI_SUCCESS;
  }
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    const auto request = all.at(requests[i]);
    if (!request->complete) continue;
    if (statuses != MPI_STATUSES_IGNORE) fake::put(&statuses[i], *request);
    all.erase(requests[i]);
    requests[i] = MPI_REQUEST_NULL;
  }
  return any_failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

int PMPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                  MPI_Status statuses[]) {
  FAKE_ENTRY("PMPI_Testsome");
  *done = 0;
  bool any = false;
  bool any_failed = false;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL) continue;
    any = true;
    const auto request = fake::state().requests.at(requests[i]);
    if (!fake::is_complete(*request)) continue;
    any_failed = any_failed || request->code != MPI_SUCCESS;
    if (statuses != MPI_STATUSES_IGNORE) fake::put(&statuses[*done], *request);
    indices[(*done)++] = i;
    fake::state().requests.erase(requests[i]);
    requests[i] = MPI_REQUEST_NULL;
  }
  for (int i = 0; any_failed && fake::state().frees_with_failed && i < count; ++i) {
    fake::state().requests.erase(requests[i]);
    requests[i] = MPI_REQUEST_NULL;
  }
  if (!any) *done = MPI_UNDEFINED;
  if (*done == 0) fake::idle(entered.lock());
  return any_failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

int PMPI_Cancel(MPI_Request* request) {
  FAKE_ENTRY("PMPI_Cancel");
  const auto found = fake::state().requests.at(*request);
  if (found->is_receive && !found->complete) fake::give_up(found);
  return MPI_SUCCESS;
}

// As in MPI: a receive goes on.
int PMPI_Request_free(MPI_Request* request) {
  FAKE_ENTRY("PMPI_Request_free");
  fake::state().requests.erase(*request);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

// No test here has persistent collectives.
int PMPI_Recv_init(void* /*buffer*/, int /*count*/, MPI_Datatype /*type*/, int /*source*/,
                   int /*tag*/, MPI_Comm /*comm*/, MPI_Request* /*request*/) {
  return MPI_ERR_OTHER;
}

int PMPI_Start(MPI_Request* /*request*/) { return MPI_ERR_REQUEST; }

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  FAKE_ENTRY("PMPI_Iprobe", comm);
  const auto communicator = fake::find_communicator(comm);
  const fake::Envelope wanted{communicator->handle, source, tag};
  *flag = 0;
  for (const fake::Envelope& message : fake::rank(fake::own_rank()).unexpected) {
    if (!fake::matches(wanted, message)) continue;
    *flag = 1;
    if (status != MPI_STATUS_IGNORE) *status = fake::status_of(message, MPI_SUCCESS);
    break;
  }
  return MPI_SUCCESS;
}

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                 MPI_Status* status) {
  FAKE_ENTRY("PMPI_Improbe", comm);
  auto& own = fake::rank(fake::own_rank());
  const fake::Envelope wanted{fake::find_communicator(comm)->handle, source, tag};
  *flag = 0;
  const auto found = std::ranges::find_if(
      own.unexpected, [&](const auto& waiting) { return fake::matches(wanted, waiting); });
  if (found == own.unexpected.end()) return MPI_SUCCESS;
  *flag = 1;
  *message = fake::new_handle(fake::message_kind);
  if (status != MPI_STATUS_IGNORE) *status = fake::status_of(*found, MPI_SUCCESS);
  own.probed[*message] = *found;
  own.unexpected.erase(found);
  return MPI_SUCCESS;
}

int PMPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message,
               MPI_Status* status) {
  FAKE_ENTRY("PMPI_Mrecv");
  auto& own = fake::rank(fake::own_rank());
  const auto found = own.probed.find(*message);
  const int code = fake::unpacked(found->second.data, buffer, count, *fake::find_type(type));
  if (status != MPI_STATUS_IGNORE) *status = fake::status_of(found->second, code);
  own.probed.erase(found);
  *message = MPI_MESSAGE_NULL;
  return code;
}

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  FAKE_ENTRY("PMPI_Get_count");
  const auto found = fake::find_type(type);
  const auto size = found->size();
  if (size == 0) {
    *count = status->count_lo == 0 ? 0 : MPI_UNDEFINED;
  } else {
    *count =
        status->count_lo % size == 0 ? static_cast<int>(status->count_lo / size) : MPI_UNDEFINED;
  }
  return MPI_SUCCESS;
}
