// SPDX-License-Identifier: BSD-3-Clause
// Asks the MPI library about datatypes; packs with its own pack functions, or by messages.
#include "mpi/call/datatype.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "mpi/call/defined_pairs.h"
#include "mpi/call/self_message.h"
#include "mpi/intercept/next.h"

namespace quadrille {

namespace {

struct Envelope {
  MPI_Count integers = 0;
  MPI_Count addresses = 0;
  MPI_Count large_counts = 0;
  MPI_Count types = 0;
  int combiner = MPI_UNDEFINED;
};

// By MPI 4's own function where there is one: MPICH's older one refuses types that were built with
// large counts.
Envelope envelope_of(MPI_Datatype type) {
  using Large = int (*)(MPI_Datatype, MPI_Count*, MPI_Count*, MPI_Count*, MPI_Count*, int*);
  static const auto large =
      reinterpret_cast<Large>(look_up_next_symbol("PMPI_Type_get_envelope_c"));
  Envelope envelope;
  if (large != nullptr) {
    large(type, &envelope.integers, &envelope.addresses, &envelope.large_counts, &envelope.types,
          &envelope.combiner);
    return envelope;
  }
  int integers = 0;
  int addresses = 0;
  int types = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &envelope.combiner);
  envelope.integers = integers;
  envelope.addresses = addresses;
  envelope.types = types;
  return envelope;
}

// Also those that Fortran's kinds are found by: nobody may free them, and who asks what another
// type is built of is not given a copy (MPI 4.1, 19.1.5).
bool is_predefined(const Envelope& envelope) {
  return envelope.combiner == MPI_COMBINER_NAMED || envelope.combiner == MPI_COMBINER_F90_REAL ||
         envelope.combiner == MPI_COMBINER_F90_COMPLEX ||
         envelope.combiner == MPI_COMBINER_F90_INTEGER;
}

// What a type was made of.
class TypeContents {
 public:
  TypeContents(MPI_Datatype type, const Envelope& envelope)
      : integers_(static_cast<std::size_t>(envelope.integers) + 1),
        addresses_(static_cast<std::size_t>(envelope.addresses) + 1),
        types_(static_cast<std::size_t>(envelope.types), MPI_DATATYPE_NULL) {
    PMPI_Type_get_contents(type, static_cast<int>(envelope.integers),
                           static_cast<int>(envelope.addresses), static_cast<int>(envelope.types),
                           integers_.data(), addresses_.data(), types_.data());
  }
  TypeContents(const TypeContents&) = delete;
  TypeContents& operator=(const TypeContents&) = delete;
  ~TypeContents() {
    for (MPI_Datatype& type : types_) {
      if (type != MPI_DATATYPE_NULL && !is_predefined(envelope_of(type))) PMPI_Type_free(&type);
    }
  }

  // Of a struct or of blocks at places in bytes.
  std::size_t blocks() const { return static_cast<std::size_t>(integers_[0]); }
  int length(std::size_t block) const { return integers_[block + 1]; }
  MPI_Aint place(std::size_t block) const { return addresses_[block]; }
  MPI_Datatype type(std::size_t block = 0) const {
    return types_[std::min(block, types_.size() - 1)];
  }

 private:
  std::vector<int> integers_;
  std::vector<MPI_Aint> addresses_;
  std::vector<MPI_Datatype> types_;
};

// Each block begins where the one before it ends. So programs describe more than an int counts: as
// many pieces as there are, and a rest.
bool blocks_are_in_a_row(const TypeContents& contents) {
  MPI_Aint next = 0;
  bool any = false;
  for (std::size_t block = 0; block < contents.blocks(); ++block) {
    if (contents.length(block) == 0) continue;
    const Layout layout = layout_of(contents.type(block));
    if ((any && contents.place(block) != next) || !layout.contiguous) return false;
    next = contents.place(block) + contents.length(block) * static_cast<MPI_Aint>(layout.size);
    any = true;
  }
  return true;
}

// Whether the type map of a type whose size is its extent is in the order of memory: size and
// extent alone do not tell (an indexed type may run backwards).
bool in_memory_order(MPI_Datatype type) {
  const Envelope envelope = envelope_of(type);
  if (is_predefined(envelope)) return true;
  if (envelope.large_counts > 0) return false;  // whose contents only MPI 4's function gives
  switch (envelope.combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_CONTIGUOUS:
      return in_memory_order(TypeContents(type, envelope).type());
    case MPI_COMBINER_STRUCT:
    case MPI_COMBINER_HINDEXED:
      return blocks_are_in_a_row(TypeContents(type, envelope));
    default:
      return false;
  }
}

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;

// MPI-3 counts are int: pieces of as many whole elements as fit.
template <typename Piece>
int in_pieces(std::uint64_t count, std::uint64_t size, Piece&& piece) {
  const std::uint64_t most =
      std::max<std::uint64_t>(1, most_bytes / std::max<std::uint64_t>(size, 1));
  for (std::uint64_t done = 0; done < count; done += most) {
    const std::uint64_t now = std::min(most, count - done);
    if (const int code = piece(done, static_cast<int>(now)); code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

// Calls call(address, count, type). MPICH's pack functions refuse the null address that MPI_BOTTOM
// is: the same memory is then described from another origin.
template <typename Call>
int from_valid_origin(const void* address, int count, MPI_Datatype type, Call&& call) {
  if (address != nullptr) return call(address, count, type);
  static char origin = 0;
  MPI_Aint displacement = 0;
  PMPI_Get_address(&origin, &displacement);
  displacement = -displacement;
  MPI_Datatype moved = MPI_DATATYPE_NULL;
  int code = PMPI_Type_create_hindexed(1, &count, &displacement, type, &moved);
  if (code == MPI_SUCCESS) code = PMPI_Type_commit(&moved);
  if (code == MPI_SUCCESS) code = call(&origin, 1, moved);
  if (moved != MPI_DATATYPE_NULL) PMPI_Type_free(&moved);
  return code;
}

// Programs make such elements to exchange more than an int counts; the pack functions of MPI 3 take
// none.
bool is_beyond_packing(const Layout& layout) {
  return layout.size > static_cast<std::uint64_t>(std::numeric_limits<int>::max());
}

// Calls call(bytes_type) with a type of so many bytes, whatever an int counts.
template <typename Call>
int with_bytes(std::uint64_t bytes, Call&& call) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  for (std::uint64_t done = 0; done < bytes; done += most_bytes) {
    lengths.push_back(static_cast<int>(std::min(most_bytes, bytes - done)));
    places.push_back(static_cast<MPI_Aint>(done));
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int code = PMPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(),
                                       places.data(), MPI_BYTE, &type);
  if (code == MPI_SUCCESS) code = PMPI_Type_commit(&type);
  if (code == MPI_SUCCESS) code = call(type);
  if (type != MPI_DATATYPE_NULL) PMPI_Type_free(&type);
  return code;
}

bool is_whole_number(MPI_Datatype type) {
  for (const MPI_Datatype known : {MPI_CHAR,
                                   MPI_SIGNED_CHAR,
                                   MPI_UNSIGNED_CHAR,
                                   MPI_SHORT,
                                   MPI_UNSIGNED_SHORT,
                                   MPI_INT,
                                   MPI_UNSIGNED,
                                   MPI_LONG,
                                   MPI_UNSIGNED_LONG,
                                   MPI_LONG_LONG,
                                   MPI_UNSIGNED_LONG_LONG,
                                   MPI_INT8_T,
                                   MPI_INT16_T,
                                   MPI_INT32_T,
                                   MPI_INT64_T,
                                   MPI_UINT8_T,
                                   MPI_UINT16_T,
                                   MPI_UINT32_T,
                                   MPI_UINT64_T,
                                   MPI_BYTE,
                                   MPI_C_BOOL,
                                   MPI_AINT,
                                   MPI_OFFSET,
                                   MPI_COUNT,
                                   MPI_INTEGER}) {
    if (type == known) return true;
  }
  return false;
}

}  // namespace

Layout layout_of(MPI_Datatype type) {
  Layout layout;
  MPI_Count size = 0;
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lower = 0;
  MPI_Aint true_extent = 0;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent(type, &lower, &extent);
  PMPI_Type_get_true_extent(type, &true_lower, &true_extent);
  layout.size = static_cast<std::uint64_t>(std::max<MPI_Count>(size, 0));
  layout.extent = extent;
  layout.true_lower = true_lower;
  layout.true_extent = true_extent;
  layout.predefined = is_predefined(envelope_of(type));
  layout.contiguous = size == 0 || (lower == 0 && true_lower == 0 && size == extent &&
                                    size == true_extent && in_memory_order(type));
  return layout;
}

int pack(const void* from, std::uint64_t count, MPI_Datatype type, const Layout& layout,
         std::byte* into) {
  if (layout.size == 0) return MPI_SUCCESS;  // the libraries differ about no bytes at no address
  if (is_beyond_packing(layout)) {
    return with_bytes(layout.size, [&](MPI_Datatype bytes) {
      return in_pieces(count, layout.size, [&](std::uint64_t done, int now) {
        const auto* source =
            static_cast<const std::byte*>(from) + static_cast<std::int64_t>(done) * layout.extent;
        return message_to_self(source, now, type, into + done * layout.size, now, bytes);
      });
    });
  }
  return in_pieces(count, layout.size, [&](std::uint64_t done, int now) {
    int position = 0;
    const auto* source =
        static_cast<const std::byte*>(from) + static_cast<std::int64_t>(done) * layout.extent;
    const int bytes = static_cast<int>(layout.size * static_cast<std::uint64_t>(now));
    return from_valid_origin(
        source, now, type, [&](const void* origin, int elements, MPI_Datatype described) {
          return PMPI_Pack(origin, elements, described, into + done * layout.size, bytes, &position,
                           MPI_COMM_SELF);
        });
  });
}

int unpack(const std::byte* from, void* into, std::uint64_t count, MPI_Datatype type,
           const Layout& layout) {
  if (layout.size == 0) return MPI_SUCCESS;
  if (is_beyond_packing(layout)) {
    return with_bytes(layout.size, [&](MPI_Datatype bytes) {
      return in_pieces(count, layout.size, [&](std::uint64_t done, int now) {
        auto* target =
            static_cast<std::byte*>(into) + static_cast<std::int64_t>(done) * layout.extent;
        return message_to_self(from + done * layout.size, now, bytes, target, now, type);
      });
    });
  }
  return in_pieces(count, layout.size, [&](std::uint64_t done, int now) {
    int position = 0;
    auto* target = static_cast<std::byte*>(into) + static_cast<std::int64_t>(done) * layout.extent;
    const int bytes = static_cast<int>(layout.size * static_cast<std::uint64_t>(now));
    return from_valid_origin(
        target, now, type, [&](const void* origin, int elements, MPI_Datatype described) {
          return PMPI_Unpack(from + done * layout.size, bytes, &position, const_cast<void*>(origin),
                             elements, described, MPI_COMM_SELF);
        });
  });
}

bool is_predefined_operation(MPI_Op op) {
  for (const MPI_Op known : {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_LXOR,
                             MPI_BAND, MPI_BOR, MPI_BXOR}) {
    if (op == known) return true;
  }
  return false;
}

bool is_predefined_type(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL) return false;  // as some are where Fortran is missing
  return is_whole_number(type) || type == MPI_FLOAT || type == MPI_DOUBLE ||
         type == MPI_LONG_DOUBLE;
}

bool may_combine(MPI_Op op, MPI_Datatype type) {
  if (!is_operation_of_mpi(op)) return true;
  thread_local MPI_Op known_op = MPI_OP_NULL;
  thread_local MPI_Datatype known_type = MPI_DATATYPE_NULL;
  if (op == known_op && type == known_type) return true;
  if (!is_defined(op, type)) return false;
  known_op = op;
  known_type = type;
  return true;
}

int combiner_of(MPI_Datatype type) { return envelope_of(type).combiner; }

bool is_exact(MPI_Op op, MPI_Datatype type) {
  return is_predefined_operation(op) && is_whole_number(type);
}

}  // namespace quadrille
