// SPDX-License-Identifier: BSD-3-Clause
// What the calls have in common; where they come in stands in endpoint_calls.cpp.
#include "fabric/provider/endpoint.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/settings.h"
#include "fabric/provider/guarded.h"
#include "fabric/provider/info.h"

namespace quadrille::fabric {
namespace {

// Copies that have not left: whoever wants to have more copied is to come again.
constexpr std::size_t most_copied_bytes = std::size_t{16} << 20U;

int error_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::success:
      return 0;
    case Outcome::truncated:
      return FI_ETRUNC;
    case Outcome::canceled:
      return FI_ECANCELED;
    case Outcome::no_message:
      return FI_ENOMSG;
    case Outcome::peer_lost:
      return FI_ECONNRESET;
  }
  return FI_EOTHER;
}

// Rank 0 where launchers tell ranks their numbers, else everybody.
bool speaks_for_job() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(variable)) return std::string_view(rank) == "0";
  }
  return true;
}

std::uint64_t kind_of(bool tagged) { return tagged ? FI_TAGGED : FI_MSG; }

}  // namespace

Endpoint::Endpoint(const fi_info& info, void* context) : fid_ep{} {
  fid.fclass = FI_CLASS_EP;
  fid.context = context;
  if (info.tx_attr != nullptr) send_flags_ = info.tx_attr->op_flags;
  if (info.rx_attr != nullptr) receive_flags_ = info.rx_attr->op_flags;
  is_directed_ = (info.caps & FI_DIRECTED_RECV) != 0;
}

Endpoint::~Endpoint() {
  if (av_ != nullptr) av_->unbind(this);
  for (CompletionQueue* queue : {send_queue_, receive_queue_}) {
    if (queue != nullptr) queue->stations().remove(station_.get());
  }
  for (Counter* counter : {send_counter_, receive_counter_}) {
    if (counter != nullptr) counter->stations().remove(station_.get());
  }
  if (!logs_ || !station_) return;
  try {
    log();
  } catch (...) {
    tell_exception();
  }
}

int Endpoint::start() {
  const auto settings = read_settings([](const char* name) { return std::getenv(name); });
  const auto refuse_with = [](const std::string& why) {
    std::fprintf(stderr, "quadrille: the libfabric provider cannot start: %s\n", why.c_str());
    return -FI_EINVAL;
  };
  if (!settings.ok()) return refuse_with(settings.error().message);
  StationSettings made;
  made.interface = settings.value().fabric_interface;
  const std::string& wanted = settings.value().fabric_link;
  const auto link = wire::link_kind(wanted);
  if (!link)
    return refuse_with("QUADRILLE_FABRIC_LINK=" + wanted + ": expected auto, udp, packet or xdp");
  made.link = *link;
  made.shares_memory = settings.value().fabric_memory;
  made.link_helper = settings.value().link_helper;
  made.burst_bytes = static_cast<std::size_t>(settings.value().fabric_burst);
  made.flow_control = settings.value().fabric_flow;
  made.bulk = wire::bulk_path(settings.value().bulk);
  made.paths = static_cast<std::uint32_t>(settings.value().paths);
  const std::string& digits = settings.value().job_secret;
  made.job_secret = secret_from_digits(digits);
  if (!digits.empty() && !made.job_secret)
    return refuse_with("QUADRILLE_JOB_SECRET is not 32 hexadecimal digits");
  has_job_secret_ = made.job_secret.has_value();
  logs_ = settings.value().logs("fabric");
  auto opened = Station::open(
      made, [this](const Done& done, const Messenger& messenger) { on_done(done, messenger); });
  if (!opened.ok()) return refuse_with(opened.error().message);
  station_ = std::move(opened.value());
  const std::string& why = station_->why_not();
  if (!why.empty() && speaks_for_job()) {
    std::fprintf(stderr, "quadrille: link %s instead of QUADRILLE_FABRIC_LINK=%s: %s\n",
                 station_->link_name(), wanted.c_str(), why.c_str());
  }
  return 0;
}

void Endpoint::log() const {
  const auto [counters, strangers, records] =
      station_->with([](const Messenger& messenger, Nanoseconds) {
        return std::tuple(messenger.counters(), messenger.strangers(), messenger.records());
      });
  const wire::FrameCounters frames = station_->frames();
  const auto wide = [](std::uint64_t number) { return static_cast<unsigned long long>(number); };
  std::fprintf(stderr,
               "quadrille: event=fabric link=%s name=%s data_sent=%llu data_resent=%llu "
               "runs_sent=%llu stream_sent=%llu bytes_sent=%llu "
               "bytes_received=%llu acks_sent=%llu probes=%llu losses=%llu duplicates=%llu "
               "refused=%llu forged=%llu "
               "malformed=%llu strangers=%llu frames_sent=%llu "
               "frames_received=%llu records=%llu\n",
               station_->link_name(), text_of(station_->name()).c_str(), wide(counters.data_sent),
               wide(counters.data_resent), wide(counters.runs_sent), wide(counters.stream_sent),
               wide(counters.bytes_sent), wide(counters.bytes_received), wide(counters.acks_sent),
               wide(counters.probes), wide(counters.losses), wide(counters.duplicates),
               wide(counters.refused), wide(counters.forged), wide(counters.malformed),
               wide(strangers), wide(frames.sent), wide(frames.received), wide(records));
}

void Endpoint::on_inserted(const EndpointName& name) {
  // With a secret of the job it shows by itself who it is, when it has something to say.
  if (has_job_secret_) return;
  station_->with([&](Messenger& messenger, Nanoseconds now) { messenger.peer(name, now); });
}

// Who was removed may have been inserted again, and has another address then.
void Endpoint::forget_removed() {
  const std::uint64_t removals = av_->removals();
  if (std::exchange(removals_, removals) == removals) return;
  peers_.clear();
  addresses_.clear();
}

std::optional<PeerNumber> Endpoint::peer_of(fi_addr_t address, Messenger& messenger,
                                            Nanoseconds now) {
  forget_removed();
  if (address < peers_.size() && peers_[address]) return peers_[address];
  const auto name = av_->name_of(address);
  const auto peer = name ? messenger.peer(*name, now) : std::nullopt;
  if (!peer) return std::nullopt;
  if (address >= peers_.size()) peers_.resize(address + 1);
  peers_[address] = peer;
  return peer;
}

fi_addr_t Endpoint::address_of(PeerNumber peer, const Messenger& messenger) {
  forget_removed();
  if (peer >= addresses_.size()) addresses_.resize(peer + 1, FI_ADDR_NOTAVAIL);
  fi_addr_t& address = addresses_[peer];
  if (address == FI_ADDR_NOTAVAIL) address = av_->address_of(messenger.name_of(peer));
  return address;
}

ssize_t Endpoint::send(const SendCall& call) {
  return station_->with([&](Messenger& messenger, Nanoseconds now) -> ssize_t {
    const auto to = peer_of(call.to, messenger, now);
    if (!to) return -FI_EINVAL;
    const bool copies = call.injects || (call.flags & FI_INJECT) != 0;
    if (copies && call.length > inject_bytes) return -FI_EINVAL;
    if (copies && messenger.copied_bytes() > most_copied_bytes) return -FI_EAGAIN;
    const bool wanted = !call.injects && wants_success(selective_send_, call.flags);
    messenger.send(
        {.to = *to,
         .bytes = {static_cast<const std::byte*>(call.buffer), call.length},
         .tagged = call.tagged,
         .tag = call.tag,
         .data = call.data,
         .copies = copies,
         .until_delivered = (call.flags & (FI_DELIVERY_COMPLETE | FI_MATCH_COMPLETE)) != 0,
         .report = {call.context, wanted}},
        now);
    return 0;
  });
}

ssize_t Endpoint::receive(const ReceiveCall& call) {
  const bool peeks = (call.flags & FI_PEEK) != 0;
  if (peeks) station_->drive();
  return station_->with([&](Messenger& messenger, Nanoseconds now) -> ssize_t {
    // Without a tag all bits may differ.
    ReceiveRequest request{.buffer = {static_cast<std::byte*>(call.buffer), call.length},
                           .tagged = call.tagged,
                           .pattern = {{}, call.tag, call.tagged ? call.ignore : ~0ULL},
                           .least_room = {},
                           .report = {call.context, wants_success(selective_receive_, call.flags)}};
    if (is_directed_ && call.from != FI_ADDR_UNSPEC) {
      request.pattern.from = peer_of(call.from, messenger, now);
      if (!request.pattern.from) return -FI_EINVAL;
    }
    if (peeks) return look(call, request.pattern, messenger, now);
    if ((call.flags & FI_CLAIM) != 0) {
      if ((call.flags & FI_DISCARD) != 0) return discard(request, messenger, now);
      return messenger.receive_claimed(call.context, request, now) ? 0 : -FI_EINVAL;
    }
    if ((call.flags & FI_MULTI_RECV) != 0) request.least_room = least_room_;
    messenger.receive(request, now);
    return 0;
  });
}

// It ends as any receive does, and has received nothing.
ssize_t Endpoint::discard(const ReceiveRequest& request, Messenger& messenger, Nanoseconds now) {
  if (!messenger.discard_claimed(request.report.context, now)) return -FI_EINVAL;
  if (!request.report.wanted) return 0;
  CompletionQueue::Entry entry;
  entry.entry.op_context = request.report.context;
  entry.entry.flags = FI_RECV | kind_of(request.tagged);
  entry.entry.tag = request.pattern.tag;
  receive_queue_->push(entry);
  return 0;
}

ssize_t Endpoint::look(const ReceiveCall& call, const Pattern& pattern, Messenger& messenger,
                       Nanoseconds now) {
  const bool drops = (call.flags & FI_DISCARD) != 0;
  const void* claim_as = nullptr;
  if ((call.flags & FI_CLAIM) != 0) claim_as = call.context;
  if (drops) claim_as = &call;
  const auto found = messenger.peek(call.tagged, pattern, claim_as);
  if (found && drops) messenger.discard_claimed(claim_as, now);
  CompletionQueue::Entry entry;
  entry.entry.op_context = call.context;
  entry.entry.flags = FI_RECV | kind_of(call.tagged);
  entry.entry.tag = call.tag;
  if (found) {
    entry.entry.len = found->head.length;
    entry.entry.tag = found->head.tag;
    entry.entry.data = found->head.data.value_or(0);
    if (found->head.data) entry.entry.flags |= FI_REMOTE_CQ_DATA;
    entry.source = address_of(found->from, messenger);
  } else {
    entry.error = error_of(Outcome::no_message);
  }
  receive_queue_->push(entry);
  return 0;
}

CompletionQueue::Entry Endpoint::entry_of(const Done& done, const Messenger& messenger) {
  CompletionQueue::Entry entry;
  entry.entry.op_context = done.report.context;
  if (done.releases) {
    entry.entry.flags = FI_MULTI_RECV;
    return entry;
  }
  entry.entry.flags = (done.received ? FI_RECV : FI_SEND) | kind_of(done.tagged);
  if (done.received && done.data) entry.entry.flags |= FI_REMOTE_CQ_DATA;
  entry.entry.len = done.length;
  entry.entry.buf = done.buffer;
  entry.entry.data = done.data.value_or(0);
  entry.entry.tag = done.tag;
  entry.excess = done.excess;
  entry.error = error_of(done.outcome);
  if (done.received && done.from) entry.source = address_of(*done.from, messenger);
  return entry;
}

void Endpoint::on_done(const Done& done, const Messenger& messenger) {
  const bool success = done.outcome == Outcome::success;
  CompletionQueue* queue = done.received ? receive_queue_ : send_queue_;
  Counter* counter = done.received ? receive_counter_ : send_counter_;
  const bool tells = done.report.wanted || done.releases || !success;
  if (queue != nullptr && tells) queue->push(entry_of(done, messenger));
  if (counter != nullptr && !done.releases) counter->count(success);
}

int Endpoint::bind_queue(CompletionQueue* queue, std::uint64_t flags) {
  const bool selective = (flags & FI_SELECTIVE_COMPLETION) != 0;
  const bool sends = (flags & FI_TRANSMIT) != 0;
  const bool receives = (flags & FI_RECV) != 0;
  if ((sends && send_queue_ != nullptr) || (receives && receive_queue_ != nullptr))
    return -FI_EINVAL;
  queue->stations().add(station_.get());
  if (sends) {
    send_queue_ = queue;
    selective_send_ = selective;
  }
  if (receives) {
    receive_queue_ = queue;
    selective_receive_ = selective;
  }
  return 0;
}

int Endpoint::bind_counter(Counter* counter, std::uint64_t flags) {
  // MPICH counts accesses to remote memory too, of which there are none.
  counter->stations().add(station_.get());
  if ((flags & FI_SEND) != 0) send_counter_ = counter;
  if ((flags & FI_RECV) != 0) receive_counter_ = counter;
  return 0;
}

}  // namespace quadrille::fabric
