// SPDX-License-Identifier: BSD-3-Clause
// Datatypes: runs of bytes in the order of their type map.
#include <algorithm>
#include <cstring>

#include "mpi/fake/fake_state.h"

namespace quadrille::fake {
namespace {

constexpr int made_type = static_cast<int>(0x8e000000U);

// MPICH's predefined handles tell their size.
TypePointer named(MPI_Datatype type) {
  FakeType made;
  const auto bits = static_cast<unsigned>(type);
  if (type == MPI_DOUBLE_INT) {
    made = {{{0, 8}, {8, 4}}, 0, 16};
  } else if ((bits >> 24U) == 0x4cU) {
    const auto bytes = static_cast<std::int64_t>((bits >> 8U) & 0xffU);
    made = {{{0, bytes}}, 0, bytes};
  } else {
    return nullptr;
  }
  return std::make_shared<FakeType>(std::move(made));
}

void append(FakeType& whole, const FakeType& part, std::int64_t place, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Run& run : part.runs) {
      if (run.bytes > 0) whole.runs.push_back({place + i * part.extent + run.place, run.bytes});
    }
  }
}

void cover(FakeType& whole, const FakeType& part, std::int64_t place, std::int64_t count,
           bool& any) {
  if (count == 0) return;
  const std::int64_t lower = place + part.lower;
  const std::int64_t upper = lower + part.extent * count;
  const std::int64_t so_far = whole.lower + whole.extent;
  whole.lower = any ? std::min(whole.lower, lower) : lower;
  whole.extent = (any ? std::max(so_far, upper) : upper) - whole.lower;
  any = true;
}

int add(FakeType made, MPI_Datatype* handle) {
  made.committed = false;
  *handle = new_handle(made_type);
  state().types[*handle] = std::make_shared<FakeType>(std::move(made));
  return MPI_SUCCESS;
}

int add_blocks(int combiner, int count, const int* lengths, const MPI_Aint* places,
               const std::vector<MPI_Datatype>& types, MPI_Datatype* handle) {
  FakeType made;
  made.combiner = combiner;
  made.integers = {count};
  bool any = false;
  for (int block = 0; block < count; ++block) {
    const TypePointer part =
        find_type(types[std::min(static_cast<std::size_t>(block), types.size() - 1)]);
    if (!part) return MPI_ERR_TYPE;
    append(made, *part, places[block], lengths[block]);
    cover(made, *part, places[block], lengths[block], any);
    made.integers.push_back(lengths[block]);
    made.addresses.push_back(places[block]);
  }
  made.types = types;
  return add(std::move(made), handle);
}

}  // namespace

std::int64_t FakeType::size() const {
  std::int64_t sum = 0;
  for (const Run& run : runs) sum += run.bytes;
  return sum;
}

std::int64_t FakeType::true_lower() const {
  if (runs.empty()) return 0;
  return std::ranges::min(runs, {}, &Run::place).place;
}

std::int64_t FakeType::true_upper() const {
  std::int64_t upper = 0;
  for (const Run& run : runs) upper = std::max(upper, run.place + run.bytes);
  return upper;
}

TypePointer find_type(MPI_Datatype type) {
  const auto found = state().types.find(type);
  return found != state().types.end() ? found->second : named(type);
}

Bytes packed(const void* from, std::int64_t count, const FakeType& type) {
  Bytes into;
  into.reserve(static_cast<std::size_t>(count * type.size()));
  const auto* address = static_cast<const std::byte*>(from);
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Run& run : type.runs) {
      const std::byte* place = address + i * type.extent + run.place;
      into.insert(into.end(), place, place + run.bytes);
    }
  }
  return into;
}

int unpacked(const Bytes& from, void* into, std::int64_t count, const FakeType& type) {
  auto* address = static_cast<std::byte*>(into);
  std::size_t next = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Run& run : type.runs) {
      const std::size_t bytes = std::min(static_cast<std::size_t>(run.bytes), from.size() - next);
      if (bytes > 0) std::memcpy(address + i * type.extent + run.place, from.data() + next, bytes);
      next += bytes;
    }
  }
  return next < from.size() ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

}  // namespace quadrille::fake

namespace fake = quadrille::fake;
using fake::find_type;

int PMPI_Type_size(MPI_Datatype type, int* size) {
  FAKE_ENTRY("PMPI_Type_size");
  const auto found = find_type(type);
  if (!found) return fake::raise_error(entered.lock(), MPI_COMM_WORLD, MPI_ERR_TYPE);
  *size = static_cast<int>(found->size());
  return MPI_SUCCESS;
}

int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size) {
  FAKE_ENTRY("PMPI_Type_size_x");
  const auto found = find_type(type);
  if (!found) return fake::raise_error(entered.lock(), MPI_COMM_WORLD, MPI_ERR_TYPE);
  *size = found->size();
  return MPI_SUCCESS;
}

int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent) {
  FAKE_ENTRY("PMPI_Type_get_extent");
  const auto found = find_type(type);
  if (!found) return fake::raise_error(entered.lock(), MPI_COMM_WORLD, MPI_ERR_TYPE);
  *lower = found->lower;
  *extent = found->extent;
  return MPI_SUCCESS;
}

int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lower, MPI_Aint* extent) {
  FAKE_ENTRY("PMPI_Type_get_true_extent");
  const auto found = find_type(type);
  if (!found) return fake::raise_error(entered.lock(), MPI_COMM_WORLD, MPI_ERR_TYPE);
  *lower = found->true_lower();
  *extent = found->runs.empty() ? 0 : found->true_upper() - found->true_lower();
  return MPI_SUCCESS;
}

int PMPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types,
                           int* combiner) {
  FAKE_ENTRY("PMPI_Type_get_envelope");
  const auto found = find_type(type);
  if (!found) return fake::raise_error(entered.lock(), MPI_COMM_WORLD, MPI_ERR_TYPE);
  *integers = static_cast<int>(found->integers.size());
  *addresses = static_cast<int>(found->addresses.size());
  *types = static_cast<int>(found->types.size());
  *combiner = found->combiner;
  return MPI_SUCCESS;
}

int PMPI_Type_get_contents(MPI_Datatype type, int, int, int, int integers[], MPI_Aint addresses[],
                           MPI_Datatype types[]) {
  FAKE_ENTRY("PMPI_Type_get_contents");
  const auto found = find_type(type);
  if (!found) return fake::raise_error(entered.lock(), MPI_COMM_WORLD, MPI_ERR_TYPE);
  std::ranges::copy(found->integers, integers);
  std::ranges::copy(found->addresses, addresses);
  for (std::size_t i = 0; i < found->types.size(); ++i) {
    types[i] = found->types[i];
    // A made type is handed out as a handle of its own, which the caller frees.
    const auto part = fake::state().types.find(types[i]);
    if (part == fake::state().types.end()) continue;
    const auto shared = part->second;
    types[i] = fake::new_handle(fake::made_type);
    fake::state().types[types[i]] = shared;
  }
  return MPI_SUCCESS;
}

int PMPI_Type_dup(MPI_Datatype type, MPI_Datatype* made) {
  FAKE_ENTRY("PMPI_Type_dup");
  const auto found = find_type(type);
  if (!found) return MPI_ERR_TYPE;
  fake::FakeType copy = *found;
  copy.combiner = MPI_COMBINER_DUP;
  copy.integers.clear();
  copy.addresses.clear();
  copy.types = {type};
  return fake::add(std::move(copy), made);
}

int PMPI_Type_contiguous(int count, MPI_Datatype type, MPI_Datatype* made) {
  FAKE_ENTRY("PMPI_Type_contiguous");
  const auto part = find_type(type);
  if (!part) return MPI_ERR_TYPE;
  fake::FakeType whole;
  whole.combiner = MPI_COMBINER_CONTIGUOUS;
  whole.integers = {count};
  whole.types = {type};
  bool any = false;
  fake::append(whole, *part, 0, count);
  fake::cover(whole, *part, 0, count, any);
  return fake::add(std::move(whole), made);
}

int PMPI_Type_vector(int count, int length, int stride, MPI_Datatype type, MPI_Datatype* made) {
  FAKE_ENTRY("PMPI_Type_vector");
  const auto part = find_type(type);
  if (!part) return MPI_ERR_TYPE;
  fake::FakeType whole;
  whole.combiner = MPI_COMBINER_VECTOR;
  whole.integers = {count, length, stride};
  whole.types = {type};
  bool any = false;
  for (int block = 0; block < count; ++block) {
    const std::int64_t place = std::int64_t{block} * stride * part->extent;
    fake::append(whole, *part, place, length);
    fake::cover(whole, *part, place, length, any);
  }
  return fake::add(std::move(whole), made);
}

int PMPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint places[],
                              MPI_Datatype type, MPI_Datatype* made) {
  FAKE_ENTRY("PMPI_Type_create_hindexed");
  return fake::add_blocks(MPI_COMBINER_HINDEXED, count, lengths, places, {type}, made);
}

int PMPI_Type_create_struct(int count, const int lengths[], const MPI_Aint places[],
                            const MPI_Datatype types[], MPI_Datatype* made) {
  FAKE_ENTRY("PMPI_Type_create_struct");
  return fake::add_blocks(MPI_COMBINER_STRUCT, count, lengths, places, {types, types + count},
                          made);
}

int PMPI_Type_create_resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent,
                             MPI_Datatype* made) {
  FAKE_ENTRY("PMPI_Type_create_resized");
  const auto part = find_type(type);
  if (!part) return MPI_ERR_TYPE;
  fake::FakeType whole;
  whole.runs = part->runs;
  whole.lower = lower;
  whole.extent = extent;
  whole.combiner = MPI_COMBINER_RESIZED;
  whole.addresses = {lower, extent};
  whole.types = {type};
  return fake::add(std::move(whole), made);
}

int PMPI_Type_commit(MPI_Datatype* type) {
  FAKE_ENTRY("PMPI_Type_commit");
  const auto found = find_type(*type);
  if (!found) return MPI_ERR_TYPE;
  found->committed = true;
  return MPI_SUCCESS;
}

int PMPI_Type_free(MPI_Datatype* type) {
  FAKE_ENTRY("PMPI_Type_free");
  if (fake::state().types.erase(*type) == 0) return MPI_ERR_TYPE;
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

int PMPI_Pack(const void* from, int count, MPI_Datatype type, void* into, int size, int* position,
              MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Pack", comm);
  const auto found = find_type(type);
  if (!found || !found->committed) return fake::raise_error(entered.lock(), comm, MPI_ERR_TYPE);
  const fake::Bytes bytes = fake::packed(from, count, *found);
  if (*position + static_cast<std::int64_t>(bytes.size()) > size)
    return fake::raise_error(entered.lock(), comm, MPI_ERR_TRUNCATE);
  std::ranges::copy(bytes, static_cast<std::byte*>(into) + *position);
  *position += static_cast<int>(bytes.size());
  return MPI_SUCCESS;
}

int PMPI_Unpack(const void* from, int size, int* position, void* into, int count, MPI_Datatype type,
                MPI_Comm comm) {
  FAKE_ENTRY("PMPI_Unpack", comm);
  const auto found = find_type(type);
  if (!found || !found->committed) return fake::raise_error(entered.lock(), comm, MPI_ERR_TYPE);
  const std::int64_t bytes = count * found->size();
  if (*position + bytes > size) return fake::raise_error(entered.lock(), comm, MPI_ERR_TRUNCATE);
  const auto* begin = static_cast<const std::byte*>(from) + *position;
  fake::unpacked({begin, begin + bytes}, into, count, *found);
  *position += static_cast<int>(bytes);
  return MPI_SUCCESS;
}

int PMPI_Get_address(const void* location, MPI_Aint* address) {
  FAKE_ENTRY("PMPI_Get_address");
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}
