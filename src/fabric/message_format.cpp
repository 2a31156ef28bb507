// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/message_format.h"

#include "base/big_endian.h"

namespace quadrille::fabric {
namespace {

constexpr unsigned tagged_bit = 1;
constexpr unsigned data_bit = 2;
constexpr unsigned offered_bit = 4;
constexpr unsigned rest_bit = 8;

}  // namespace

std::size_t write_head(const Head& head, std::size_t first, std::span<std::byte> room) {
  BigEndianWriter writer(room);
  const bool has_rest = !head.offered && first < head.length;
  writer.put((head.tagged ? tagged_bit : 0) | (head.data ? data_bit : 0) |
                 (head.offered ? offered_bit : 0) | (has_rest ? rest_bit : 0),
             1);
  if (head.tagged) writer.put(head.tag, 8);
  if (head.data) writer.put(*head.data, 8);
  if (head.offered || has_rest) writer.put(head.length, 8);
  if (head.offered) writer.put(head.offer, 4);
  return writer.written();
}

std::optional<ParsedMessage> parse_message(std::span<const std::byte> bytes) {
  BigEndianReader reader(bytes);
  Head head;
  const std::uint64_t flags = reader.take(1);
  const bool has_rest = (flags & rest_bit) != 0;
  if (flags > (tagged_bit | data_bit | offered_bit | rest_bit)) return std::nullopt;
  head.tagged = (flags & tagged_bit) != 0;
  head.offered = (flags & offered_bit) != 0;
  if (head.tagged) head.tag = reader.take(8);
  if ((flags & data_bit) != 0) head.data = reader.take(8);
  if (head.offered || has_rest) head.length = reader.take(8);
  if (head.offered) head.offer = static_cast<std::uint32_t>(reader.take(4));
  if (!head.offered && !has_rest) head.length = reader.rest().size();
  if (reader.failed() || (head.offered && (has_rest || !reader.rest().empty())))
    return std::nullopt;
  if (has_rest && head.length <= reader.rest().size()) return std::nullopt;
  return ParsedMessage{head, reader.rest()};
}

std::size_t write_control(const Control& control, std::span<std::byte> room) {
  BigEndianWriter writer(room);
  writer.put(control.calls ? 1 : 0, 1);
  writer.put(control.freed, 4);
  if (control.calls) {
    writer.put(control.offer, 4);
    writer.put(control.bytes, 8);
  }
  return writer.written();
}

std::optional<Control> parse_control(std::span<const std::byte> bytes) {
  BigEndianReader reader(bytes);
  Control control;
  const std::uint64_t kind = reader.take(1);
  control.calls = kind == 1;
  control.freed = static_cast<std::uint32_t>(reader.take(4));
  if (control.calls) {
    control.offer = static_cast<std::uint32_t>(reader.take(4));
    control.bytes = reader.take(8);
  }
  if (kind > 1 || reader.failed() || !reader.rest().empty()) return std::nullopt;
  return control;
}

}  // namespace quadrille::fabric
