// SPDX-License-Identifier: BSD-3-Clause
// Reads the descriptors of the GNU and LLVM compilers; walks sections, first dimension fastest as
// Fortran orders elements.
#include "mpi/intercept/fortran_array.h"

#include <cstdint>
#include <cstring>
#include <new>

namespace quadrille {
namespace {

constexpr std::size_t most = ArraySection::most_dimensions;

// Passed between Fortran procedures by GNU: `_f08ts_` procedures are Fortran, so not CFI_cdesc_t.
struct GnuDescriptor {
  struct Dimension {
    std::ptrdiff_t stride;  // in units of span
    std::ptrdiff_t lower_bound;
    std::ptrdiff_t upper_bound;
  };
  std::byte* address;
  std::size_t offset;
  std::size_t element_bytes;
  std::int32_t version;  // 0
  std::int8_t rank;
  std::int8_t type;
  std::int16_t attribute;
  std::ptrdiff_t span;
  Dimension dimension[most];
};
static_assert(offsetof(GnuDescriptor, dimension) == 40);

// LLVM has one descriptor for all: CFI_cdesc_t.
struct LlvmDescriptor {
  struct Dimension {
    std::ptrdiff_t lower_bound;
    std::ptrdiff_t extent;
    std::ptrdiff_t stride;  // in bytes
  };
  std::byte* address;
  std::size_t element_bytes;
  std::int32_t version;  // a date, such as 20180515
  std::uint8_t rank;
  std::int8_t type;  // never 0
  std::uint8_t attribute;
  std::uint8_t extra;
  Dimension dimension[most];
};
static_assert(offsetof(LlvmDescriptor, dimension) == 24);

// Copies what is there of a descriptor: of `rank` dimensions, the others lie beyond its end.
template <typename Descriptor>
Descriptor copy_of(const void* from, std::size_t rank) {
  Descriptor descriptor{};
  std::memcpy(&descriptor, from,
              offsetof(Descriptor, dimension) + rank * sizeof(typename Descriptor::Dimension));
  return descriptor;
}

// Both have at least 24 bytes, and these tell them apart: GNU's third word is an element's length,
// which would have to be petabytes to look like LLVM's version, rank and type.
bool is_llvm(const void* descriptor) {
  std::uint64_t third = 0;
  std::memcpy(&third, static_cast<const std::byte*>(descriptor) + 16, sizeof third);
  const std::uint64_t version = third & 0xffffffffU;
  return third >> 40U != 0 && version >= 20'000'000 && version < 22'000'000;
}

// Calls visit(address of an element, bytes before it in the gathered form) for each element.
template <typename Visit>
void for_each_element(const ArraySection& array, Visit&& visit) {
  std::array<std::ptrdiff_t, most> index{};
  const std::size_t bytes = array.elements() * array.element_bytes;
  std::byte* element = array.address;
  for (std::size_t before = 0; before < bytes; before += array.element_bytes) {
    visit(element, before);
    for (std::size_t d = 0; d < static_cast<std::size_t>(array.rank); ++d) {
      element += array.dimension[d].stride;
      if (++index[d] < array.dimension[d].extent) break;
      element -= array.dimension[d].extent * array.dimension[d].stride;
      index[d] = 0;
    }
  }
}

ArraySection read_llvm(const void* from) {
  const auto rank = static_cast<std::size_t>(copy_of<LlvmDescriptor>(from, 0).rank);
  if (rank > most) return {};
  const auto descriptor = copy_of<LlvmDescriptor>(from, rank);
  ArraySection section{descriptor.address, descriptor.element_bytes, static_cast<int>(rank), {}};
  for (std::size_t d = 0; d < rank; ++d) {
    section.dimension[d] = {descriptor.dimension[d].extent, descriptor.dimension[d].stride};
  }
  return section;
}

ArraySection read_gnu(const void* from) {
  const auto head = copy_of<GnuDescriptor>(from, 0);
  if (head.rank < 0) return {};
  const std::size_t rank = static_cast<unsigned char>(head.rank);
  if (head.version != 0 || rank > most || head.element_bytes >> 40U != 0) return {};
  const auto descriptor = copy_of<GnuDescriptor>(from, rank);
  const auto element = static_cast<std::ptrdiff_t>(descriptor.element_bytes);
  const std::ptrdiff_t unit = descriptor.span == 0 ? element : descriptor.span;
  ArraySection section{descriptor.address, descriptor.element_bytes, static_cast<int>(rank), {}};
  for (std::size_t d = 0; d < rank; ++d) {
    const auto& dimension = descriptor.dimension[d];
    section.dimension[d] = {dimension.upper_bound - dimension.lower_bound + 1,
                            dimension.stride * unit};
  }
  return section;
}

}  // namespace

ArraySection ArraySection::read(const void* descriptor) {
  return is_llvm(descriptor) ? read_llvm(descriptor) : read_gnu(descriptor);
}

bool ArraySection::contiguous() const {
  bool in_a_row = true;
  auto expected = static_cast<std::ptrdiff_t>(element_bytes);
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    if (dimension[d].extent <= 0) return true;
    in_a_row = in_a_row && (dimension[d].extent == 1 || dimension[d].stride == expected);
    expected *= dimension[d].extent;
  }
  return in_a_row;
}

std::size_t ArraySection::elements() const {
  std::size_t count = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    count *= static_cast<std::size_t>(dimension[d].extent);
  }
  return count;
}

FortranArray::FortranArray(const void* descriptor, const FortranConstants& constants)
    : section_(ArraySection::read(descriptor)), address_(constants.in_c(section_.address)) {
  if (address_ == nullptr || section_.contiguous()) return;
  gathered_.reset(new (std::nothrow) std::byte[section_.elements() * section_.element_bytes]);
  has_memory_ = gathered_ != nullptr;
}

void FortranArray::gather() {
  if (!gathered_) return;
  for_each_element(section_, [&](const std::byte* element, std::size_t before) {
    std::memcpy(gathered_.get() + before, element, section_.element_bytes);
  });
}

void FortranArray::scatter() const {
  if (!gathered_) return;
  for_each_element(section_, [&](std::byte* element, std::size_t before) {
    std::memcpy(element, gathered_.get() + before, section_.element_bytes);
  });
}

}  // namespace quadrille
