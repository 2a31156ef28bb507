// SPDX-License-Identifier: BSD-3-Clause
// fi_send(), fi_recv() and their kin, without tags.
#include "fabric/provider/endpoint.h"
#include "fabric/provider/objects.h"

namespace quadrille::fabric {
namespace {

Endpoint& of(fid_ep* endpoint) { return *static_cast<Endpoint*>(endpoint); }

ssize_t receive(fid_ep* ep, void* buffer, size_t length, void* /*memory*/, fi_addr_t from,
                void* context) {
  return of(ep).receive({.buffer = buffer,
                         .length = length,
                         .from = from,
                         .flags = of(ep).receive_flags(),
                         .context = context});
}

ssize_t receive_pieces(fid_ep* ep, const iovec* pieces, void** /*memory*/, size_t count,
                       fi_addr_t from, void* context) {
  if (count > 1) return -FI_EINVAL;
  return receive(ep, count > 0 ? pieces->iov_base : nullptr, count > 0 ? pieces->iov_len : 0,
                 nullptr, from, context);
}

ssize_t receive_as_told(fid_ep* ep, const fi_msg* message, uint64_t flags) {
  if (message->iov_count > 1) return -FI_EINVAL;
  const bool any = message->iov_count > 0;
  return of(ep).receive({.buffer = any ? message->msg_iov->iov_base : nullptr,
                         .length = any ? message->msg_iov->iov_len : 0,
                         .from = message->addr,
                         .flags = flags,
                         .context = message->context});
}

ssize_t send(fid_ep* ep, const void* buffer, size_t length, void* /*memory*/, fi_addr_t to,
             void* context) {
  return of(ep).send({.buffer = buffer,
                      .length = length,
                      .to = to,
                      .data = {},
                      .flags = of(ep).send_flags(),
                      .context = context});
}

ssize_t send_pieces(fid_ep* ep, const iovec* pieces, void** /*memory*/, size_t count, fi_addr_t to,
                    void* context) {
  if (count > 1) return -FI_EINVAL;
  return send(ep, count > 0 ? pieces->iov_base : nullptr, count > 0 ? pieces->iov_len : 0, nullptr,
              to, context);
}

ssize_t send_as_told(fid_ep* ep, const fi_msg* message, uint64_t flags) {
  if (message->iov_count > 1) return -FI_EINVAL;
  const bool any = message->iov_count > 0;
  SendCall call{.buffer = any ? message->msg_iov->iov_base : nullptr,
                .length = any ? message->msg_iov->iov_len : 0,
                .to = message->addr,
                .data = {},
                .flags = flags,
                .context = message->context};
  if ((flags & FI_REMOTE_CQ_DATA) != 0) call.data = message->data;
  return of(ep).send(call);
}

ssize_t inject(fid_ep* ep, const void* buffer, size_t length, fi_addr_t to) {
  return of(ep).send({.buffer = buffer, .length = length, .to = to, .data = {}, .injects = true});
}

ssize_t send_data(fid_ep* ep, const void* buffer, size_t length, void* /*memory*/, uint64_t data,
                  fi_addr_t to, void* context) {
  return of(ep).send({.buffer = buffer,
                      .length = length,
                      .to = to,
                      .data = data,
                      .flags = of(ep).send_flags(),
                      .context = context});
}

ssize_t inject_data(fid_ep* ep, const void* buffer, size_t length, uint64_t data, fi_addr_t to) {
  return of(ep).send({.buffer = buffer, .length = length, .to = to, .data = data, .injects = true});
}

}  // namespace

fi_ops_msg* message_calls() {
  static fi_ops_msg calls = [] {
    fi_ops_msg ops{};
    ops.size = sizeof ops;
    ops.recv = receive;
    ops.recvv = receive_pieces;
    ops.recvmsg = receive_as_told;
    ops.send = send;
    ops.sendv = send_pieces;
    ops.sendmsg = send_as_told;
    ops.inject = inject;
    ops.senddata = send_data;
    ops.injectdata = inject_data;
    return ops;
  }();
  return &calls;
}

}  // namespace quadrille::fabric
