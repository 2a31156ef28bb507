// SPDX-License-Identifier: BSD-3-Clause
// An endpoint as libfabric knows it: a station, and where what it has done is told.
//
// Thread rule: any thread; binding, enabling and closing apart from all else.
#pragma once

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_tagged.h>

#include <memory>
#include <optional>
#include <vector>

#include "fabric/provider/address_vector.h"
#include "fabric/provider/completion_queue.h"
#include "fabric/provider/counter.h"
#include "fabric/station.h"

namespace quadrille::fabric {

// One call to send; what the calls of libfabric leave out has these values.
struct SendCall {
  const void* buffer = nullptr;
  std::size_t length = 0;
  fi_addr_t to = FI_ADDR_UNSPEC;
  bool tagged = false;
  std::uint64_t tag = 0;
  std::optional<std::uint64_t> data;
  std::uint64_t flags = 0;
  void* context = nullptr;
  bool injects = false;
};

struct ReceiveCall {
  void* buffer = nullptr;
  std::size_t length = 0;
  fi_addr_t from = FI_ADDR_UNSPEC;
  bool tagged = false;
  std::uint64_t tag = 0;
  std::uint64_t ignore = 0;
  std::uint64_t flags = 0;
  void* context = nullptr;
};

class Endpoint : public fid_ep {
 public:
  static int open(fid_domain* domain, fi_info* info, fid_ep** made, void* context);

  ssize_t send(const SendCall& call);
  ssize_t receive(const ReceiveCall& call);
  // Flags of calls that name none.
  std::uint64_t send_flags() const { return send_flags_; }
  std::uint64_t receive_flags() const { return receive_flags_; }

  // Of an address vector's: who may be heard of now.
  void on_inserted(const EndpointName& name);

 private:
  friend struct EndpointCalls;
  Endpoint(const fi_info& info, void* context);
  ~Endpoint();

  int start();
  int bind_queue(CompletionQueue* queue, std::uint64_t flags);
  int bind_counter(Counter* counter, std::uint64_t flags);
  void on_done(const Done& done, const Messenger& messenger);
  CompletionQueue::Entry entry_of(const Done& done, const Messenger& messenger);
  // Their station is locked.
  void forget_removed();
  std::optional<PeerNumber> peer_of(fi_addr_t address, Messenger& messenger, Nanoseconds now);
  fi_addr_t address_of(PeerNumber peer, const Messenger& messenger);
  ssize_t look(const ReceiveCall& call, const Pattern& pattern, Messenger& messenger,
               Nanoseconds now);
  ssize_t discard(const ReceiveRequest& request, Messenger& messenger, Nanoseconds now);
  void log() const;
  static bool wants_success(bool selective, std::uint64_t flags) {
    return !selective || (flags & FI_COMPLETION) != 0;
  }

  std::uint64_t send_flags_ = 0;
  std::uint64_t receive_flags_ = 0;
  std::size_t least_room_ = 64;  // FI_OPT_MIN_MULTI_RECV
  bool has_job_secret_ = false;
  bool logs_ = false;
  bool is_directed_ = false;  // else receives take from all, whatever they say
  bool selective_send_ = false;
  bool selective_receive_ = false;
  CompletionQueue* send_queue_ = nullptr;
  CompletionQueue* receive_queue_ = nullptr;
  Counter* send_counter_ = nullptr;
  Counter* receive_counter_ = nullptr;
  AddressVector* av_ = nullptr;
  std::vector<std::optional<PeerNumber>> peers_;  // by fi_addr_t
  std::vector<fi_addr_t> addresses_;              // by PeerNumber
  std::uint64_t removals_ = 0;                    // that both know of
  std::unique_ptr<Station> station_;
};

// The tables of its calls to send and receive.
fi_ops_msg* message_calls();
fi_ops_tagged* tagged_calls();

}  // namespace quadrille::fabric
