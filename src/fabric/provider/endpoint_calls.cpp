// SPDX-License-Identifier: BSD-3-Clause
// An endpoint's calls but for those to send and receive.
#include <rdma/fi_cm.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>

#include "fabric/provider/endpoint.h"
#include "fabric/provider/objects.h"

namespace quadrille::fabric {
namespace {

constexpr ssize_t operations_left = 4096;     // there is no limit
std::atomic<unsigned> enabled_endpoints = 0;  // since the start, to say whether there was any

fi_ops_rma* no_remote_memory() {
  static fi_ops_rma calls = [] {
    fi_ops_rma ops{};
    ops.size = sizeof ops;
    ops.read = refuse;
    ops.readv = refuse;
    ops.readmsg = refuse;
    ops.write = refuse;
    ops.writev = refuse;
    ops.writemsg = refuse;
    ops.inject = refuse;
    ops.writedata = refuse;
    ops.injectdata = refuse;
    return ops;
  }();
  return &calls;
}

}  // namespace

struct EndpointCalls {
  static Endpoint& of(fid_t fid) { return *object_of<Endpoint, fid_ep>(fid); }

  static int close(fid* fid) {
    delete &of(fid);
    return 0;
  }

  static int bind(fid* fid, struct fid* other, uint64_t flags) {
    Endpoint& self = of(fid);
    switch (other->fclass) {
      case FI_CLASS_CQ:
        return self.bind_queue(object_of<CompletionQueue, fid_cq>(other), flags);
      case FI_CLASS_CNTR:
        return self.bind_counter(object_of<Counter, fid_cntr>(other), flags);
      case FI_CLASS_AV:
        if (self.av_ != nullptr) return -FI_EINVAL;
        self.av_ = object_of<AddressVector, fid_av>(other);
        self.av_->bind(&self);
        return 0;
      case FI_CLASS_EQ:
        return 0;  // nothing is reported to it
      default:
        return -FI_EINVAL;
    }
  }

  static int control(fid* fid, int command, void* argument) {
    Endpoint& self = of(fid);
    auto* flags = static_cast<std::uint64_t*>(argument);
    switch (command) {
      case FI_ENABLE:
        if (self.av_ == nullptr) return -FI_ENOAV;
        if (self.send_queue_ == nullptr || self.receive_queue_ == nullptr) return -FI_ENOCQ;
        ++enabled_endpoints;
        return 0;
      case FI_GETOPSFLAG:
        *flags = (*flags & FI_TRANSMIT) != 0 ? self.send_flags_ : self.receive_flags_;
        return 0;
      case FI_SETOPSFLAG:
        if ((*flags & FI_TRANSMIT) != 0) self.send_flags_ = *flags & ~FI_TRANSMIT;
        if ((*flags & FI_RECV) != 0) self.receive_flags_ = *flags & ~FI_RECV;
        return 0;
      default:
        return -FI_ENOSYS;
    }
  }

  static ssize_t cancel(fid_t fid, void* context) {
    return of(fid).station_->with([&](Messenger& messenger, Nanoseconds) -> ssize_t {
      return messenger.cancel(context) ? 0 : -FI_ENOENT;
    });
  }

  static int get_option(fid_t fid, int level, int name, void* value, size_t* length) {
    if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV) return -FI_ENOPROTOOPT;
    if (*length < sizeof(std::size_t)) return -FI_ETOOSMALL;
    std::memcpy(value, &of(fid).least_room_, sizeof(std::size_t));
    *length = sizeof(std::size_t);
    return 0;
  }

  static int set_option(fid_t fid, int level, int name, const void* value, size_t length) {
    if (level != FI_OPT_ENDPOINT || name != FI_OPT_MIN_MULTI_RECV) return -FI_ENOPROTOOPT;
    if (length != sizeof(std::size_t)) return -FI_EINVAL;
    std::memcpy(&of(fid).least_room_, value, sizeof(std::size_t));
    return 0;
  }

  static ssize_t left(fid_ep* /*endpoint*/) { return operations_left; }

  static int name(fid_t fid, void* bytes, size_t* length) {
    const auto encoded = encode(of(fid).station_->name());
    const std::size_t room = *length;
    *length = encoded.size();
    std::memcpy(bytes, encoded.data(), std::min(room, encoded.size()));
    return room < encoded.size() ? -FI_ETOOSMALL : 0;
  }

  static fi_ops* plain() {
    static fi_ops calls = [] {
      fi_ops ops = plain_ops<close>();
      ops.bind = guarded<bind>;
      ops.control = guarded<control>;
      return ops;
    }();
    return &calls;
  }

  static fi_ops_ep* own() {
    static fi_ops_ep calls = [] {
      fi_ops_ep ops{};
      ops.size = sizeof ops;
      ops.cancel = guarded<cancel>;
      ops.getopt = guarded<get_option>;
      ops.setopt = guarded<set_option>;
      ops.tx_ctx = refuse;
      ops.rx_ctx = refuse;
      ops.rx_size_left = guarded<left>;
      ops.tx_size_left = guarded<left>;
      return ops;
    }();
    return &calls;
  }

  static fi_ops_cm* connections() {
    static fi_ops_cm calls = [] {
      fi_ops_cm ops{};
      ops.size = sizeof ops;
      ops.setname = refuse;
      ops.getname = guarded<name>;
      ops.getpeer = refuse;
      ops.connect = refuse;
      ops.listen = refuse;
      ops.accept = refuse;
      ops.reject = refuse;
      ops.shutdown = refuse;
      ops.join = refuse;
      return ops;
    }();
    return &calls;
  }
};

int Endpoint::open(fid_domain* /*domain*/, fi_info* info, fid_ep** opened, void* context) {
  if (info == nullptr) return -FI_EINVAL;
  if (info->ep_attr != nullptr && info->ep_attr->type != FI_EP_RDM) return -FI_EINVAL;
  const auto close = [](Endpoint* made) { delete made; };
  std::unique_ptr<Endpoint, decltype(close)> endpoint(new Endpoint(*info, context), close);
  endpoint->fid.ops = EndpointCalls::plain();
  endpoint->ops = EndpointCalls::own();
  endpoint->cm = EndpointCalls::connections();
  endpoint->msg = message_calls();
  endpoint->tagged = tagged_calls();
  endpoint->rma = no_remote_memory();
  const int answer = endpoint->start();
  if (answer == 0) *opened = endpoint.release();
  return answer;
}

}  // namespace quadrille::fabric

// For Quadrille's other part in this process (mpi/fabric_use.cpp): an MPI library has made use of
// the provider.
extern "C" __attribute__((visibility("default"))) unsigned quadrille_fabric_endpoints() {
  return quadrille::fabric::enabled_endpoints;
}
