// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/fake/core_copies.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>
#include <mutex>
#include <stdexcept>

#include "mpi/fake/fake_job.h"
#include "preload/core.h"

namespace quadrille::fake {
namespace {

const quadrille_core* load_copy(int rank) {
  const auto copy =
      std::filesystem::temp_directory_path() /
      ("quadrille_fake_" + std::to_string(getpid()) + "_" + std::to_string(rank) + ".so");
  std::filesystem::copy_file(QUADRILLE_CORE_LIBRARY, copy,
                             std::filesystem::copy_options::overwrite_existing);
  void* const library = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::filesystem::remove(copy);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto attach =
      reinterpret_cast<quadrille_core_attach_fn>(dlsym(library, "quadrille_core_attach"));
  static const quadrille_shim shim{QUADRILLE_CORE_VERSION, &look_up};
  return attach(&shim);
}

const quadrille_core& core_of(int rank) {
  static std::mutex mutex;
  static std::map<int, const quadrille_core*> loaded;
  const std::scoped_lock lock(mutex);
  const quadrille_core*& core = loaded[rank];
  if (core == nullptr) core = load_copy(rank);
  return *core;
}

}  // namespace

void* intercepted(int rank, const char* symbol) {
  void* const found = core_of(rank).implementation(symbol);
  return found != nullptr ? found : look_up(symbol);
}

std::string last_execution(int rank) {
  std::array<char, 256> text{};
  return core_of(rank).last_execution(text.data(), text.size()) < 0 ? "" : text.data();
}

}  // namespace quadrille::fake
