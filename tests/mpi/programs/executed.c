/* SPDX-License-Identifier: BSD-3-Clause
 * Finds quadrille_last_execution, which only the preloaded library defines. */
#define _GNU_SOURCE
#include "executed.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int executed_by_quadrille(void) {
  typedef int (*last_execution_fn)(char* text, int size);
  last_execution_fn ask =
      (last_execution_fn)(uintptr_t)dlsym(RTLD_DEFAULT, "quadrille_last_execution");
  char text[256] = "";
  return ask != NULL && ask(text, sizeof text) > 0 && strncmp(text, "executor=quadrille", 18) == 0;
}
