// SPDX-License-Identifier: BSD-3-Clause
#include "wire/run_assembly.h"

#include <algorithm>

#include "base/copy_bytes.h"

namespace quadrille::wire {

void RunAssembly::begin(std::uint64_t number) {
  number_ = number;
  datagrams_ = packets_ = 0;
  here_.reset();
  kept_.reset();
  memory_.reset();
}

bool RunAssembly::fits(const Parsed& packet, Sequence sequence) const {
  const Header& header = packet.header;
  const std::size_t index = header.index;
  if (index >= here_.size() || here_[index] || sequence < index) return false;
  if (here_.any() && sequence - index != first_) return false;
  if (here_.any() && lower(header.place - header.index, place_bits) != place_) return false;
  if (header.kind == PacketKind::run_end)
    return datagrams_ == 0 && packet.body.size() <= payload_ + run_trailer(header.run_to_group) &&
           (here_ >> index).none();
  return packet.body.size() == payload_ && (datagrams_ == 0 || index < datagrams_);
}

void RunAssembly::add(const Parsed& packet, Sequence sequence) {
  if (!fits(packet, sequence)) return;
  const std::size_t index = packet.header.index;
  first_ = sequence - index;
  place_ = static_cast<std::uint32_t>(lower(packet.header.place - index, place_bits));
  pieces_[index] = packet.body;
  here_.set(index);
  if (packet.header.kind != PacketKind::run_end) return;
  datagrams_ = index + 1;
  trailer_ = packet.body.last(run_trailer(packet.header.run_to_group));
  pieces_[index] = packet.body.first(packet.body.size() - trailer_.size());
  packets_ = pieces_[index].empty() ? index : index + 1;
  ends_message_ = packet.header.last;
  repeats_ = packet.header.repeated;
}

void RunAssembly::keep() {
  if (number_ == 0 || here_ == kept_) return;
  const std::size_t stride = payload_ + run_trailer_bytes;
  if (memory_ == nullptr)
    memory_ = std::make_unique_for_overwrite<std::byte[]>((longest_run + 1) * stride);
  for (std::size_t index = 0; index < here_.size(); ++index) {
    if (!here_[index] || kept_[index]) continue;
    std::byte* const place = memory_.get() + index * stride;
    copy_bytes(pieces_[index], {place, stride});
    pieces_[index] = {place, pieces_[index].size()};
    if (index + 1 == datagrams_) {
      std::byte* const end = place + pieces_[index].size();
      copy_bytes(trailer_, {end, trailer_.size()});
      trailer_ = {end, trailer_.size()};
    }
  }
  kept_ = here_;
}

}  // namespace quadrille::wire
