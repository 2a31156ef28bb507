// SPDX-License-Identifier: BSD-3-Clause
// A thread of ours in a program of others': no signal of the program's is for it.
#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace quadrille {

// None where no thread is left, or no memory for what it needs.
template <typename Run>
std::thread start_without_signals(Run&& run) {
  sigset_t all{};
  sigset_t before{};
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread(std::forward<Run>(run));
  } catch (...) {  // signals come back in any case
    thread = {};
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace quadrille
