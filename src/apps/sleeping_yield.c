/* SPDX-License-Identifier: BSD-3-Clause
 * libquadrille-sleeping-yield.so, preloaded by experiments: who gives up the processor because
 * nothing has come sleeps for a moment. MPI libraries poll; with this their ranks use no processor
 * time while they wait, as those of a program that blocks, so that the time shows which is not
 * computing. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

enum { moment_ns = 20000, slack_ns = 1000 };

__attribute__((visibility("default"))) int sched_yield(void) {
  static _Thread_local int is_sharp;
  if (!is_sharp) {
    prctl(PR_SET_TIMERSLACK, (unsigned long)slack_ns); /* instead of 50 us */
    is_sharp = 1;
  }
  const struct timespec moment = {0, moment_ns};
  nanosleep(&moment, NULL);
  return 0;
}
