// SPDX-License-Identifier: BSD-3-Clause
// fi_send(), fi_recv() and their kin, and those with a tag behind the other end's address: of a
// receive the tag and the bits of it that do not count.
#include <optional>

#include "fabric/provider/endpoint.h"
#include "fabric/provider/objects.h"

namespace quadrille::fabric {
namespace {

// Of a list of pieces, which may have one or none; nothing where it has more.
std::optional<iovec> only_piece(const iovec* pieces, size_t count) {
  if (count > 1) return std::nullopt;
  return count == 1 ? *pieces : iovec{};
}

// `Tag` is one type, or none.
template <typename Message, typename... Tag>
struct Transfers {
  static Endpoint& of(fid_ep* endpoint) { return *static_cast<Endpoint*>(endpoint); }

  static SendCall send_call(const void* buffer, size_t length, std::optional<uint64_t> data,
                            fi_addr_t to, Tag... tag) {
    return {.buffer = buffer,
            .length = length,
            .to = to,
            .tagged = sizeof...(Tag) > 0,
            .tag = (uint64_t{0} | ... | tag),
            .data = data};
  }
  static ReceiveCall receive_call(void* buffer, size_t length, fi_addr_t from, Tag... tag,
                                  Tag... ignore) {
    return {.buffer = buffer,
            .length = length,
            .from = from,
            .tagged = sizeof...(Tag) > 0,
            .tag = (uint64_t{0} | ... | tag),
            .ignore = (uint64_t{0} | ... | ignore)};
  }

  static ssize_t post(fid_ep* ep, SendCall call, void* context) {
    call.flags = of(ep).send_flags();
    call.context = context;
    return of(ep).send(call);
  }
  static ssize_t post_copied(fid_ep* ep, SendCall call) {
    call.injects = true;
    return of(ep).send(call);
  }

  static ssize_t receive(fid_ep* ep, void* buffer, size_t length, void* /*memory*/, fi_addr_t from,
                         Tag... tag, Tag... ignore, void* context) {
    ReceiveCall call = receive_call(buffer, length, from, tag..., ignore...);
    call.flags = of(ep).receive_flags();
    call.context = context;
    return of(ep).receive(call);
  }

  static ssize_t receive_pieces(fid_ep* ep, const iovec* pieces, void** /*memory*/, size_t count,
                                fi_addr_t from, Tag... tag, Tag... ignore, void* context) {
    const auto piece = only_piece(pieces, count);
    if (!piece) return -FI_EINVAL;
    return receive(ep, piece->iov_base, piece->iov_len, nullptr, from, tag..., ignore..., context);
  }

  static ssize_t receive_as_told(fid_ep* ep, const Message* message, uint64_t flags) {
    const auto piece = only_piece(message->msg_iov, message->iov_count);
    if (!piece) return -FI_EINVAL;
    ReceiveCall call{.buffer = piece->iov_base,
                     .length = piece->iov_len,
                     .from = message->addr,
                     .flags = flags,
                     .context = message->context};
    if constexpr (sizeof...(Tag) > 0) {
      call.tagged = true;
      call.tag = message->tag;
      call.ignore = message->ignore;
    }
    return of(ep).receive(call);
  }

  static ssize_t send(fid_ep* ep, const void* buffer, size_t length, void* /*memory*/, fi_addr_t to,
                      Tag... tag, void* context) {
    return post(ep, send_call(buffer, length, std::nullopt, to, tag...), context);
  }

  static ssize_t send_pieces(fid_ep* ep, const iovec* pieces, void** /*memory*/, size_t count,
                             fi_addr_t to, Tag... tag, void* context) {
    const auto piece = only_piece(pieces, count);
    if (!piece) return -FI_EINVAL;
    return send(ep, piece->iov_base, piece->iov_len, nullptr, to, tag..., context);
  }

  static ssize_t send_as_told(fid_ep* ep, const Message* message, uint64_t flags) {
    const auto piece = only_piece(message->msg_iov, message->iov_count);
    if (!piece) return -FI_EINVAL;
    SendCall call{.buffer = piece->iov_base,
                  .length = piece->iov_len,
                  .to = message->addr,
                  .data = {},
                  .flags = flags,
                  .context = message->context};
    if constexpr (sizeof...(Tag) > 0) {
      call.tagged = true;
      call.tag = message->tag;
    }
    if ((flags & FI_REMOTE_CQ_DATA) != 0) call.data = message->data;
    return of(ep).send(call);
  }

  static ssize_t inject(fid_ep* ep, const void* buffer, size_t length, fi_addr_t to, Tag... tag) {
    return post_copied(ep, send_call(buffer, length, std::nullopt, to, tag...));
  }

  static ssize_t send_data(fid_ep* ep, const void* buffer, size_t length, void* /*memory*/,
                           uint64_t data, fi_addr_t to, Tag... tag, void* context) {
    return post(ep, send_call(buffer, length, data, to, tag...), context);
  }

  static ssize_t inject_data(fid_ep* ep, const void* buffer, size_t length, uint64_t data,
                             fi_addr_t to, Tag... tag) {
    return post_copied(ep, send_call(buffer, length, data, to, tag...));
  }

  template <typename Calls>
  static Calls calls() {
    Calls ops{};
    ops.size = sizeof ops;
    ops.recv = guarded<receive>;
    ops.recvv = guarded<receive_pieces>;
    ops.recvmsg = guarded<receive_as_told>;
    ops.send = guarded<send>;
    ops.sendv = guarded<send_pieces>;
    ops.sendmsg = guarded<send_as_told>;
    ops.inject = guarded<inject>;
    ops.senddata = guarded<send_data>;
    ops.injectdata = guarded<inject_data>;
    return ops;
  }
};

}  // namespace

fi_ops_msg* message_calls() {
  static fi_ops_msg calls = Transfers<fi_msg>::calls<fi_ops_msg>();
  return &calls;
}

fi_ops_tagged* tagged_calls() {
  static fi_ops_tagged calls = Transfers<fi_msg_tagged, uint64_t>::calls<fi_ops_tagged>();
  return &calls;
}

}  // namespace quadrille::fabric
