// SPDX-License-Identifier: BSD-3-Clause
// Attributes have the same numbers in CUDA's driver (cuda.h, CUpointer_attribute) and in HIP
// (hip_runtime_api.h, hipPointer_attribute).
#include "mpi/device/device_driver.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <mutex>

namespace quadrille {
namespace {

constexpr int attribute_context = 1;
constexpr int attribute_device_pointer = 3;
constexpr int attribute_host_pointer = 4;
constexpr int attribute_is_managed = 8;

// All return 0 for success.
using GetAttribute = int (*)(void* value, int attribute, std::uintptr_t address);
using CudaCopy = int (*)(std::uintptr_t into, std::uintptr_t from, std::size_t bytes);
using CudaPush = int (*)(void* context);
using CudaPop = int (*)(void** context);
using HipCopy = int (*)(void* into, const void* from, std::size_t bytes, int kind);

template <typename Function>
Function function_of(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

struct Driver {
  GetAttribute get_attribute = nullptr;
  CudaCopy cuda_copy = nullptr;
  CudaPush cuda_push = nullptr;
  CudaPop cuda_pop = nullptr;
  HipCopy hip_copy = nullptr;

  bool reads(std::uintptr_t address, int attribute, void* value) const {
    return get_attribute(value, attribute, address) == 0;
  }
};

// Written once each, before `loaded` says so.
Driver cuda;
Driver hip;
std::atomic<bool> has_cuda{false};
std::atomic<bool> has_hip{false};

void find_cuda() {
  void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return;
  cuda.get_attribute = function_of<GetAttribute>(library, "cuPointerGetAttribute");
  cuda.cuda_copy = function_of<CudaCopy>(library, "cuMemcpy");
  cuda.cuda_push = function_of<CudaPush>(library, "cuCtxPushCurrent_v2");
  cuda.cuda_pop = function_of<CudaPop>(library, "cuCtxPopCurrent_v2");
  has_cuda = cuda.get_attribute != nullptr && cuda.cuda_copy != nullptr &&
             cuda.cuda_push != nullptr && cuda.cuda_pop != nullptr;
}

void find_hip() {
  for (const char* name :
       {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}) {
    void* const library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) continue;
    hip.get_attribute = function_of<GetAttribute>(library, "hipPointerGetAttribute");
    hip.hip_copy = function_of<HipCopy>(library, "hipMemcpy");
    has_hip = hip.get_attribute != nullptr && hip.hip_copy != nullptr;
    return;
  }
}

// How many libraries the process has loaded since it started.
std::uint64_t libraries_loaded() {
  std::uint64_t loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* into) {
        *static_cast<std::uint64_t*>(into) = info->dlpi_adds;
        return 1;  // the first one's entry tells
      },
      &loaded);
  return loaded;
}

bool is_memory_of(const Driver& driver, std::uintptr_t address) {
  void* pointer = nullptr;
  if (!driver.reads(address, attribute_device_pointer, static_cast<void*>(&pointer)) ||
      pointer == nullptr)
    return false;
  int is_managed = 0;
  if (driver.reads(address, attribute_is_managed, &is_managed) && is_managed != 0) return false;
  pointer = nullptr;
  return !driver.reads(address, attribute_host_pointer, static_cast<void*>(&pointer)) ||
         pointer == nullptr;
}

bool copy_by_cuda(std::uintptr_t into, std::uintptr_t from, std::size_t bytes) {
  // The thread need not have a context, or another device's.
  const bool into_device = is_memory_of(cuda, into);
  void* context = nullptr;
  if (!cuda.reads(into_device ? into : from, attribute_context, static_cast<void*>(&context)))
    return false;
  if (cuda.cuda_push(context) != 0) return false;
  const bool copied = cuda.cuda_copy(into, from, bytes) == 0;
  cuda.cuda_pop(&context);
  return copied;
}

}  // namespace

bool has_device_driver() {
  static std::atomic<std::uint64_t> seen{0};
  const std::uint64_t loaded = libraries_loaded();
  if (seen.load(std::memory_order_acquire) != loaded) {
    static std::mutex one_at_a_time;
    const std::scoped_lock lock(one_at_a_time);
    if (!has_cuda) find_cuda();
    if (!has_hip) find_hip();
    seen.store(loaded, std::memory_order_release);
  }
  return has_cuda || has_hip;
}

bool is_device_memory(const void* pointer) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return (has_cuda && is_memory_of(cuda, address)) || (has_hip && is_memory_of(hip, address));
}

bool copy_device_memory(void* into, const void* from, std::size_t bytes) {
  const auto target = reinterpret_cast<std::uintptr_t>(into);
  const auto source = reinterpret_cast<std::uintptr_t>(from);
  if (has_cuda && (is_memory_of(cuda, target) || is_memory_of(cuda, source)))
    return copy_by_cuda(target, source, bytes);
  constexpr int whichever = 4;  // hipMemcpyDefault
  return has_hip && hip.hip_copy(into, from, bytes, whichever) == 0;
}

}  // namespace quadrille
