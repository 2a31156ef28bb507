// SPDX-License-Identifier: BSD-3-Clause
// Order of a packet's life: announced, sent, arrived (known out of order), acknowledged (with all
// before it).
#include "wire/flow/send_flow.h"

#include <algorithm>
#include <utility>

namespace quadrille::wire {
namespace {

// Later arrivals that show a loss: TCP's duplicate acknowledgement threshold (RFC 5681).
constexpr std::uint64_t reordering = 3;

}  // namespace

void SendFlow::add(std::span<const std::byte> data, Handle handle) {
  const Sequence first = end_;
  end_ += packets_of(data.size(), limits_.payload);
  messages_.push_back({.first = first, .end = end_, .data = data, .handle = handle});
}

bool SendFlow::keep_unscheduled() {
  Message& message = messages_.back();
  if (limits_.eager || message.first != sent_ || sent_ < granted_ || !may_send_next()) return false;
  message.copy.assign(message.data.begin(), message.data.end());
  message.data = message.copy;
  message.kept = true;
  completed_.push_back(message.handle);
  return true;
}

bool SendFlow::may_send_unscheduled(std::uint64_t packets) const {
  const Sequence end = sent_ + packets;
  if (limits_.eager) return end <= eager_end();
  if (end > end_ || open_.size() + packets > limits_.most_unscheduled) return false;
  // Those under way may be of earlier calls, whose report comes with what the other end sends in
  // this one.
  std::size_t under_way = 0;
  for (const Message& message : messages_) {
    if (message.end != message.first + 1) return false;
    if (message.end == end) return under_way + message.data.size() <= limits_.unscheduled;
    under_way += message.data.size() + packet_framing_bytes;
  }
  return false;
}

bool SendFlow::may_send() const { return may_repeat() || may_send_next(); }

bool SendFlow::may_send_next() const {
  return has_room() && (sent_ < granted_ || may_send_unscheduled(1));
}

bool SendFlow::may_send_all() const {
  return has_room() && (end_ <= granted_ || may_send_unscheduled(end_ - sent_));
}

SendFlow::Packet SendFlow::next() {
  if (may_repeat()) {
    const Sequence sequence = *lost_.begin();
    lost_.erase(lost_.begin());
    Open& open = open_[sequence - acknowledged_];
    goes_again(open);
    Packet again = packet(sequence);
    again.again = true;
    // Of what went unscheduled it is not known whether it was lost.
    again.repeated = !std::exchange(open.unscheduled, false);
    if (again.repeated) ++resent_;
    return again;
  }
  return next_new();
}

void SendFlow::goes_again(Open& open) {
  if (open.listened_for && !open.again && open.transmission >= told_by_missing_from_) ++missed_;
  open.transmission = transmissions_++;
  open.path = static_cast<std::uint8_t>(path_);
  open.again = true;
}

void SendFlow::open_next() {
  open_.push_back({.transmission = transmissions_++,
                   .unscheduled = sent_ >= granted_,
                   .listened_for = granted_ > began_,
                   .path = static_cast<std::uint8_t>(path_)});
  ++sent_;
}

SendFlow::Packet SendFlow::next_new() {
  open_next();
  return packet(sent_ - 1);
}

const SendFlow::Message& SendFlow::message_of(Sequence sequence) const {
  return *std::ranges::find_if(messages_, [&](const Message& m) { return sequence < m.end; });
}

std::span<const std::byte> SendFlow::payload_of(const Message& message, Sequence first,
                                                std::uint64_t packets) const {
  const std::size_t offset = (first - message.first) * limits_.payload;
  return message.data.subspan(offset,
                              std::min(packets * limits_.payload, message.data.size() - offset));
}

SendFlow::Packet SendFlow::packet(Sequence sequence) const {
  const Message& message = message_of(sequence);
  return {.sequence = sequence,
          .place = static_cast<std::uint32_t>(sequence - message.first),
          .last = sequence + 1 == message.end,
          .repeated = false,
          .again = false,
          .payload = payload_of(message, sequence, 1),
          .handle = message.handle,
          .path = path_};
}

// Of packets that went granted, from the first lost one on.
std::uint32_t SendFlow::repeated_run_length(std::uint32_t most) const {
  const Sequence first = *lost_.begin();
  const Message& message = message_of(first);
  const Sequence end = std::min(message.end, granted_);
  std::uint64_t packets = 0;
  for (auto next = lost_.begin(); next != lost_.end() && packets < most; ++next, ++packets) {
    if (*next != first + packets || *next >= end || open_[*next - acknowledged_].unscheduled) break;
  }
  return static_cast<std::uint32_t>(packets);
}

std::uint32_t SendFlow::new_run_length(std::uint32_t most, std::uint64_t ahead) const {
  const Sequence may_go = std::max({granted_, eager_end(), ahead > 0 ? end_ahead(ahead) : 0});
  if (sent_ >= std::min(may_go, end_) || open_.size() >= limits_.most_open) return 0;
  const Message& message = message_of(sent_);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      {most, std::min(may_go, message.end) - sent_, limits_.most_open - open_.size()}));
}

SendFlow::Run SendFlow::run(Sequence first, std::uint32_t packets, bool repeated) const {
  const Message& message = message_of(first);
  return {.first = first,
          .place = static_cast<std::uint32_t>(first - message.first),
          .packets = packets,
          .last = first + packets == message.end,
          .repeated = repeated,
          .payload = payload_of(message, first, packets),
          .handle = message.handle,
          .path = path_};
}

SendFlow::Run SendFlow::new_run(std::uint32_t packets) {
  const Sequence first = sent_;
  take_next_path();
  while (sent_ < first + packets) open_next();
  return run(first, packets, false);
}

SendFlow::Run SendFlow::repeated_run(std::uint32_t packets) {
  const Sequence first = *lost_.begin();
  take_next_path();
  for (Sequence sequence = first; sequence < first + packets; ++sequence)
    goes_again(open_[sequence - acknowledged_]);
  lost_.erase(lost_.begin(), lost_.lower_bound(first + packets));
  resent_ += packets;
  return run(first, packets, true);
}

std::optional<SendFlow::Run> SendFlow::next_run(std::uint32_t least, std::uint32_t most) {
  if (most < least) return std::nullopt;
  const bool repeats = may_repeat();
  const std::uint32_t packets = repeats ? repeated_run_length(most) : new_run_length(most);
  if (packets < least) return std::nullopt;
  return repeats ? repeated_run(packets) : new_run(packets);
}

bool SendFlow::on_news(const News& news) {
  // A receiver may grant what it expects before it waits here.
  const Sequence known = std::max(acknowledged_, news.acknowledged);
  const Sequence most_granted = std::max(end_, known + limits_.most_open);
  if (news.acknowledged > sent_ || news.granted > most_granted || news.heard > end_) return false;
  bool learned = news.granted > granted_ || news.heard > heard_;
  granted_ = std::max(granted_, news.granted);
  heard_ = std::max({heard_, news.heard, news.granted, news.acknowledged});
  if (news.acknowledged > acknowledged_) {
    learned = true;
    acknowledge_before(news.acknowledged);
  }
  // Words count from the receiver's own first missing packet: older ones tell nothing.
  if (news.acknowledged == acknowledged_) learned |= mark_arrived(news.arrived);
  if (news.acknowledged < acknowledged_) return learned;
  SentBefore overtaken = latest_arrived_;
  for (std::uint64_t& latest : overtaken) latest -= std::min(latest, reordering);
  find_lost(overtaken, news.in_stream);
  if (const std::uint64_t sent_before = sent_before_answered(news.answers); sent_before > 0) {
    SentBefore asked{};
    asked.fill(sent_before);
    find_lost(asked, news.in_stream);
    learned |= may_repeat();
  }
  return learned;
}

void SendFlow::has_arrived(const Open& open) {
  latest_arrived_[open.path] = std::max(latest_arrived_[open.path], open.transmission + 1);
  if (!open.again) missed_ = 0;
}

void SendFlow::acknowledge_before(Sequence end) {
  while (acknowledged_ < end) {
    has_arrived(open_.front());
    lost_.erase(acknowledged_);
    open_.pop_front();
    ++acknowledged_;
  }
  while (!messages_.empty() && messages_.front().end <= acknowledged_) {
    if (!messages_.front().kept) completed_.push_back(messages_.front().handle);
    messages_.pop_front();
  }
}

bool SendFlow::mark_arrived(std::span<const std::uint64_t> words) {
  bool learned = false;
  for (std::size_t i = 1; i < open_.size() && (i - 1) / 64 < words.size(); ++i) {
    if ((words[(i - 1) / 64] >> ((i - 1) % 64) & 1U) == 0 || open_[i].arrived) continue;
    open_[i].arrived = true;
    lost_.erase(acknowledged_ + i);
    has_arrived(open_[i]);
    learned = true;
  }
  return learned;
}

void SendFlow::find_lost(const SentBefore& sent_before, bool in_stream) {
  const std::uint64_t last = std::ranges::max(sent_before);
  for (std::size_t i = 0; i < open_.size(); ++i) {
    const Open& open = open_[i];
    if (!open.again && open.transmission >= last) return;  // as all behind it
    if (open.arrived || open.transmission >= sent_before[open.path]) continue;
    if (in_stream && !open.unscheduled) continue;
    lost_.insert(acknowledged_ + i);
  }
}

void SendFlow::asked(std::uint64_t number) {
  // An earlier one's answer, or a later answer, tells of as much.
  if (!probes_.empty() && sent_before_probe_ == transmissions_) return;
  probes_.push_back({number, transmissions_});
  sent_before_probe_ = transmissions_;
}

std::uint64_t SendFlow::sent_before_answered(std::uint64_t answers) {
  std::uint64_t sent_before = 0;
  for (; !probes_.empty() && probes_.front().number <= answers; probes_.pop_front())
    sent_before = probes_.front().sent_before;
  return sent_before;
}

std::vector<Handle> SendFlow::fail() {
  std::vector<Handle> incomplete;
  for (const Message& message : messages_) {
    if (!message.kept) incomplete.push_back(message.handle);
  }
  messages_.clear();
  open_.clear();
  lost_.clear();
  probes_.clear();
  sent_ = acknowledged_ = end_;
  return incomplete;
}

std::optional<Handle> SendFlow::next_completed() {
  if (completed_.empty()) return std::nullopt;
  const Handle handle = completed_.front();
  completed_.pop_front();
  return handle;
}

}  // namespace quadrille::wire
