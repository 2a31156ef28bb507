// SPDX-License-Identifier: BSD-3-Clause
// A part and its result as bytes. Each kind of record says once what its fields are, in `fields`;
// the same list writes and reads it.
#include <cstdint>
#include <utility>

#include "probe/measure/agent/round_part.h"
#include "probe/measure/byte_codec.h"

namespace quadrille::probe {
namespace {

// What a message begins with: its form. A program of another version is recognised by it.
constexpr std::uint64_t part_form = 0x5101;
constexpr std::uint64_t result_form = 0x5201;

class Writing {
 public:
  void field(const std::uint8_t& value) { out_.number(value); }
  void field(const std::uint32_t& value) { out_.number(value); }
  void field(const std::uint64_t& value) { out_.number(value); }
  void field(const std::int64_t& value) { out_.signed_number(value); }
  void field(const bool& value) { out_.number(value ? 1 : 0); }
  template <typename T>
  void list(const std::vector<T>& items) {
    out_.number(items.size());
    for (const T& item : items) element(item);
  }
  // Arrivals differ little from one to the next.
  void arrivals(const std::vector<Arrival>& items) {
    out_.number(items.size());
    Arrival last;
    for (const Arrival& arrival : items) {
      out_.signed_number(std::int64_t{arrival.index} - std::int64_t{last.index});
      out_.signed_number(arrival.at_ns - last.at_ns);
      out_.signed_number(arrival.delay_ns - last.delay_ns);
      last = arrival;
    }
  }
  std::string take() { return out_.take(); }

 private:
  void element(const std::uint32_t& value) { field(value); }
  void element(const std::int64_t& value) { field(value); }
  template <typename T>
  void element(const T& record) {
    fields(*this, record);
  }
  ByteWriter out_;
};

class Reading {
 public:
  explicit Reading(std::string_view bytes) : in_(bytes) {}
  void field(std::uint8_t& value) { value = static_cast<std::uint8_t>(in_.at_most(255)); }
  void field(std::uint32_t& value) { value = in_.number32(); }
  void field(std::uint64_t& value) { value = in_.number(); }
  void field(std::int64_t& value) { value = in_.signed_number(); }
  void field(bool& value) { value = in_.flag(); }
  template <typename T>
  void list(std::vector<T>& items) {
    const std::size_t count = in_.count();
    for (std::size_t i = 0; i < count && !in_.failed(); ++i) element(items.emplace_back());
  }
  void arrivals(std::vector<Arrival>& items) {
    const std::size_t count = in_.count();
    Arrival last;
    for (std::size_t i = 0; i < count && !in_.failed(); ++i) {
      last.index = static_cast<std::uint32_t>(sum(last.index, in_.signed_number()));
      last.at_ns = sum(last.at_ns, in_.signed_number());
      last.delay_ns = sum(last.delay_ns, in_.signed_number());
      items.push_back(last);
    }
  }
  bool complete() const { return in_.complete(); }

 private:
  // Damaged differences may add up to anything; that must stay defined.
  static std::int64_t sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
  void element(std::uint32_t& value) { field(value); }
  void element(std::int64_t& value) { field(value); }
  template <typename T>
  void element(T& record) {
    fields(*this, record);
  }
  ByteReader in_;
};

template <typename Way, typename... Field>
void each(Way& way, Field&... field) {
  (way.field(field), ...);
}

template <typename T, typename Record>
concept Of = std::same_as<std::remove_const_t<T>, Record>;

template <typename Way>
void fields(Way& way, Of<OutgoingStream> auto& s) {
  each(way, s.id, s.to, s.at_ns, s.count, s.frame_bytes, s.gap_ns);
}
template <typename Way>
void fields(Way& way, Of<OutgoingFan> auto& f) {
  each(way, f.id, f.at_ns, f.duration_ns, f.passes);
  way.list(f.to);
}
template <typename Way>
void fields(Way& way, Of<OutgoingMulticast> auto& m) {
  each(way, m.id, m.at_ns, m.count, m.frame_bytes, m.gap_ns);
}
template <typename Way>
void fields(Way& way, Of<Incoming> auto& i) {
  each(way, i.id, i.from, i.count, i.keep_arrivals);
}
template <typename Way>
void fields(Way& way, Of<ExchangeEnd> auto& e) {
  each(way, e.id, e.peer, e.asks, e.at_ns, e.count, e.there_bytes, e.back_bytes, e.limit_ns);
}
template <typename Way>
void fields(Way& way, Of<RoundPart> auto& p) {
  each(way, p.number, p.network, p.start_ns, p.drift_ppb, p.duration_ns);
  way.list(p.streams_out);
  way.list(p.fans_out);
  way.list(p.multicasts_out);
  way.list(p.streams_in);
  way.list(p.fans_in);
  way.list(p.multicasts_in);
  way.list(p.exchanges);
}
template <typename Way>
void fields(Way& way, Of<Sent> auto& s) {
  each(way, s.id, s.sent, s.send_time_ns, s.send_call_ns);
}
template <typename Way>
void fields(Way& way, Of<HeardDatagrams> auto& h) {
  each(way, h.id, h.received, h.first_arrival_ns, h.last_arrival_ns, h.least_delay_ns,
       h.median_delay_ns, h.receive_call_ns, h.highest_index);
  way.arrivals(h.arrivals);
}
template <typename Way>
void fields(Way& way, Of<ExchangeOutcome> auto& o) {
  each(way, o.id, o.time_to_live, o.clock_error_ns);
  way.list(o.round_trips_ns);
}
template <typename Way>
void fields(Way& way, Of<PartResult> auto& r) {
  each(way, r.number, r.spare_ns, r.late_ns, r.held_up_ns, r.missed, r.sent_bytes, r.foreign);
  way.list(r.streams_out);
  way.list(r.streams_in);
  way.list(r.fans_in);
  way.list(r.multicasts_in);
  way.list(r.exchanges);
}

template <typename Message>
std::string write(std::uint64_t form, const Message& message) {
  Writing out;
  out.field(form);
  fields(out, message);
  return out.take();
}

template <typename Message>
Result<Message> read(std::uint64_t expected_form, std::string_view bytes, const char* what) {
  Reading in(bytes);
  std::uint64_t form = 0;
  in.field(form);
  Message message;
  if (form == expected_form) fields(in, message);
  if (form == expected_form && in.complete()) return message;
  return Error{ErrorKind::corrupt, std::string(what) + " of " + std::to_string(bytes.size()) +
                                       " bytes cannot be read; are all hosts running the same "
                                       "version?"};
}

}  // namespace

std::string encode(const RoundPart& part) { return write(part_form, part); }
std::string encode(const PartResult& result) { return write(result_form, result); }

Result<RoundPart> decode_part(std::string_view bytes) {
  return read<RoundPart>(part_form, bytes, "the part of a round");
}

Result<PartResult> decode_result(std::string_view bytes) {
  return read<PartResult>(result_form, bytes, "the result of a round");
}

}  // namespace quadrille::probe
