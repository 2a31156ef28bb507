// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/start/mpi_control_channel.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "probe/measure/realtime.h"

namespace quadrille {
namespace {

constexpr int control_tag = 1;
constexpr std::int64_t first_sleep_ns = 50'000;
constexpr int longest_message = 1 << 30;
// A launcher that ends the job because one host has gone leaves the others a moment: whoever does
// not use it to answer is the one.
constexpr std::int64_t grace_ns = 400'000'000;

}  // namespace

std::int64_t longest_sleep_ns(std::uint32_t hosts_on_machine) {
  const std::int64_t cores = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  return std::max<std::int64_t>(500'000, 200'000 * std::int64_t{hosts_on_machine} / cores);
}

MpiControlChannel::MpiControlChannel(MPI_Comm agents, Options options)
    : agents_(agents), options_(std::move(options)) {
  int size = 0;
  int rank = 0;
  PMPI_Comm_size(agents_, &size);
  PMPI_Comm_rank(agents_, &rank);
  hosts_ = static_cast<probe::HostIndex>(size);
  own_host_ = static_cast<probe::HostIndex>(rank);
}

MpiControlChannel::~MpiControlChannel() {
  for (Outgoing& one : outgoing_) {
    if (one.request == MPI_REQUEST_NULL) continue;
    PMPI_Cancel(&one.request);
    PMPI_Request_free(&one.request);
  }
}

bool MpiControlChannel::failed(int code) {
  if (code != MPI_SUCCESS) error_ = code;
  return code != MPI_SUCCESS;
}

Error MpiControlChannel::broken(const std::string& what) const {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(error_, text.data(), &length);
  return {ErrorKind::peer_lost, what + ": " + text.data()};
}

Error MpiControlChannel::silent(Waited waited, std::int64_t patience_ns) const {
  if (waited == Waited::failed) return broken("the MPI library cannot reach it");
  if (waited == Waited::interrupted) {
    return {ErrorKind::peer_lost,
            "has not answered when the launcher ended the job; is it still up?"};
  }
  return {ErrorKind::peer_lost, "has not answered for " +
                                    std::to_string(patience_ns / 1'000'000'000) +
                                    " s; is it still up and connected?"};
}

MpiControlChannel::Waited MpiControlChannel::wait(std::int64_t patience_ns,
                                                  const std::function<bool()>& look) {
  std::int64_t until_ns = probe::steady_ns() + patience_ns;
  bool interrupted = false;
  std::int64_t sleep_ns = first_sleep_ns;
  while (!look()) {
    if (error_ != MPI_SUCCESS) return Waited::failed;
    if (!interrupted && options_.interrupted()) {
      interrupted = true;
      until_ns = std::min(until_ns, probe::steady_ns() + grace_ns);
    }
    const std::int64_t left_ns = until_ns - probe::steady_ns();
    if (left_ns <= 0) return interrupted ? Waited::interrupted : Waited::out_of_time;
    probe::sleep_for(std::min(sleep_ns, left_ns));
    sleep_ns =
        std::min(sleep_ns + sleep_ns / 8, std::max(first_sleep_ns, options_.longest_sleep_ns));
  }
  return error_ == MPI_SUCCESS ? Waited::done : Waited::failed;
}

void MpiControlChannel::forget_what_has_left() {
  std::erase_if(outgoing_, [&](Outgoing& one) {
    int left = 0;
    return !failed(PMPI_Test(&one.request, &left, MPI_STATUS_IGNORE)) && left != 0;
  });
}

Result<bool> MpiControlChannel::send(probe::HostIndex to, std::string message) {
  if (message.size() > static_cast<std::size_t>(longest_message)) {
    return Error{ErrorKind::invalid_argument,
                 "a control message of " + std::to_string(message.size()) + " bytes is too long"};
  }
  Outgoing& one = outgoing_.emplace_back(std::move(message), MPI_REQUEST_NULL);
  if (failed(PMPI_Isend(one.message.data(), static_cast<int>(one.message.size()), MPI_BYTE,
                        static_cast<int>(to), control_tag, agents_, &one.request))) {
    return broken("cannot be sent to");
  }
  return true;
}

Result<bool> MpiControlChannel::flush(std::int64_t patience_ns) {
  const Waited waited = wait(patience_ns, [&] {
    forget_what_has_left();
    return outgoing_.empty();
  });
  if (waited == Waited::failed) return broken("control messages cannot be sent");
  return waited == Waited::done;
}

Result<std::string> MpiControlChannel::receive(probe::HostIndex from, std::int64_t patience_ns) {
  const auto source = static_cast<int>(from);
  int here = 0;
  int length = 0;
  Waited waited = wait(patience_ns, [&] {
    forget_what_has_left();
    MPI_Status status;
    if (failed(PMPI_Iprobe(source, control_tag, agents_, &here, &status)) || here == 0) {
      return false;
    }
    return !failed(PMPI_Get_count(&status, MPI_BYTE, &length));
  });
  if (waited != Waited::done) return silent(waited, patience_ns);
  // A long message's sender may still fail before all of it is here.
  std::list<std::string> arriving(1, std::string(static_cast<std::size_t>(length), '\0'));
  std::string& message = arriving.front();
  MPI_Request request = MPI_REQUEST_NULL;
  if (failed(
          PMPI_Irecv(message.data(), length, MPI_BYTE, source, control_tag, agents_, &request))) {
    return broken("the MPI library cannot receive from it");
  }
  waited = wait(patience_ns, [&] {
    int arrived = 0;
    return !failed(PMPI_Test(&request, &arrived, MPI_STATUS_IGNORE)) && arrived != 0;
  });
  if (waited == Waited::done) return std::move(message);
  abandoned_.splice(abandoned_.end(), arriving);
  return silent(waited, patience_ns);
}

}  // namespace quadrille
