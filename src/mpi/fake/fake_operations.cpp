// SPDX-License-Identifier: BSD-3-Clause
// Reductions, and what an MPI library tells of itself: start, end, errors.
#include <algorithm>
#include <cstring>

#include "mpi/fake/fake_state.h"

namespace quadrille::fake {
namespace {

constexpr int operation_kind = static_cast<int>(0x98000000U);

template <typename Number>
bool combine_numbers(MPI_Op op, const std::byte* from, std::byte* into, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    Number one{};
    Number other{};
    std::memcpy(&one, from + i * static_cast<std::int64_t>(sizeof one), sizeof one);
    std::memcpy(&other, into + i * static_cast<std::int64_t>(sizeof one), sizeof one);
    Number result{};
    if (op == MPI_SUM) {
      result = static_cast<Number>(one + other);
    } else if (op == MPI_PROD) {
      result = static_cast<Number>(one * other);
    } else if (op == MPI_MAX) {
      result = std::max(one, other);
    } else if (op == MPI_MIN) {
      result = std::min(one, other);
    } else if constexpr (std::is_integral_v<Number>) {
      if (op != MPI_BAND && op != MPI_BOR) return false;
      result = static_cast<Number>(op == MPI_BAND ? one & other : one | other);
    } else {
      return false;
    }
    std::memcpy(into + i * static_cast<std::int64_t>(sizeof one), &result, sizeof result);
  }
  return true;
}

// `into` becomes `from` op `into`.
int combine(MPI_Op op, MPI_Datatype type, const std::byte* from, std::byte* into,
            std::int64_t count) {
  if (const auto own = state().operations.find(op); own != state().operations.end()) {
    int elements = static_cast<int>(count);
    own->second.first(const_cast<std::byte*>(from), into, &elements, &type);
    return MPI_SUCCESS;
  }
  bool done = false;
  if (type == MPI_INT || type == MPI_INT32_T) {
    done = combine_numbers<int>(op, from, into, count);
  } else if (type == MPI_INT64_T || type == MPI_LONG) {
    done = combine_numbers<std::int64_t>(op, from, into, count);
  } else if (type == MPI_UINT64_T) {
    done = combine_numbers<std::uint64_t>(op, from, into, count);
  } else if (type == MPI_UINT32_T || type == MPI_UNSIGNED) {
    done = combine_numbers<std::uint32_t>(op, from, into, count);
  } else if (type == MPI_DOUBLE) {
    done = combine_numbers<double>(op, from, into, count);
  } else if (type == MPI_BYTE) {
    done = combine_numbers<std::uint8_t>(op, from, into, count);
  }
  return done ? MPI_SUCCESS : MPI_ERR_OP;
}

}  // namespace

// Of elements whose packed form is their memory.
Bytes combined(const Meeting& meeting, std::size_t end, MPI_Op op, MPI_Datatype type) {
  Bytes result = meeting.brought[end - 1];
  const std::int64_t size = find_type(type)->size();
  const std::int64_t count =
      static_cast<std::int64_t>(result.size()) / std::max<std::int64_t>(size, 1);
  for (std::size_t rank = end - 1; rank-- > 0;)
    combine(op, type, meeting.brought[rank].data(), result.data(), count);
  return result;
}

}  // namespace quadrille::fake

namespace fake = quadrille::fake;

extern "C" {
int* const MPI_UNWEIGHTED = reinterpret_cast<int*>(8);
int* const MPI_WEIGHTS_EMPTY = reinterpret_cast<int*>(16);
}

int PMPI_Init(int*, char***) {
  FAKE_ENTRY("PMPI_Init");
  return MPI_SUCCESS;
}

int PMPI_Finalize() {
  FAKE_ENTRY("PMPI_Finalize");
  return fake::delete_attributes(entered.lock(), MPI_COMM_SELF);
}

int PMPI_Query_thread(int* level) {
  FAKE_ENTRY("PMPI_Query_thread");
  *level = MPI_THREAD_SINGLE;
  return MPI_SUCCESS;
}

int PMPI_Get_library_version(char* text, int* length) {
  FAKE_ENTRY("PMPI_Get_library_version");
  std::strcpy(text, "fake");
  *length = 4;
  return MPI_SUCCESS;
}

int PMPI_Abort(MPI_Comm comm, int) {
  FAKE_ENTRY("PMPI_Abort", comm);
  fake::state().aborted = true;
  return MPI_SUCCESS;
}

int PMPI_Error_class(int code, int* error_class) {
  FAKE_ENTRY("PMPI_Error_class");
  *error_class = code;
  return MPI_SUCCESS;
}

int PMPI_Error_string(int code, char* text, int* length) {
  FAKE_ENTRY("PMPI_Error_string");
  const std::string said = "error " + std::to_string(code);
  std::strcpy(text, said.c_str());
  *length = static_cast<int>(said.size());
  return MPI_SUCCESS;
}

int PMPI_Op_create(MPI_User_function* function, int commutes, MPI_Op* op) {
  FAKE_ENTRY("PMPI_Op_create");
  *op = fake::new_handle(fake::operation_kind);
  fake::state().operations[*op] = {function, commutes != 0};
  return MPI_SUCCESS;
}

int PMPI_Op_free(MPI_Op* op) {
  FAKE_ENTRY("PMPI_Op_free");
  fake::state().operations.erase(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

int PMPI_Op_commutative(MPI_Op op, int* commutes) {
  FAKE_ENTRY("PMPI_Op_commutative");
  const auto own = fake::state().operations.find(op);
  *commutes = own == fake::state().operations.end() || own->second.second ? 1 : 0;
  return MPI_SUCCESS;
}

int PMPI_Reduce_local(const void* from, void* into, int count, MPI_Datatype type, MPI_Op op) {
  FAKE_ENTRY("PMPI_Reduce_local");
  const int code = fake::combine(op, type, static_cast<const std::byte*>(from),
                                 static_cast<std::byte*>(into), count);
  return code == MPI_SUCCESS ? code : fake::raise_error(entered.lock(), MPI_COMM_WORLD, code);
}
