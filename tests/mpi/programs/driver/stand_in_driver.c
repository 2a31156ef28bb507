/* SPDX-License-Identifier: BSD-3-Clause
 * The calls of a CUDA driver that Quadrille asks for. Its "device memory" are pages that the
 * processor may not touch; only cuMemcpy() can, by a second mapping of the same pages. A context
 * has to be current, as of the real one. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { success, invalid_value = 1, invalid_context = 201 };
enum {
  attribute_context = 1,
  attribute_memory_type = 2,
  attribute_device_pointer = 3,
  attribute_is_managed = 8
};
enum { device_type = 2, most = 16 };

static struct {
  char *device, *behind;
  size_t bytes;
} memory[most];
static int made;
static char the_context;
static _Thread_local void* current;

/* For the program that plays one with a device: null when there is none left. */
void* stand_in_device_memory(size_t bytes) {
  const int file = memfd_create("device", 0);
  if (made == most || file < 0 || ftruncate(file, (off_t)bytes) != 0) return NULL;
  memory[made].device = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, file, 0);
  memory[made].behind = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  memory[made].bytes = bytes;
  close(file);
  return memory[made++].device;
}

static char* behind(uintptr_t address) {
  for (int i = 0; i < made; ++i) {
    const uintptr_t first = (uintptr_t)memory[i].device;
    if (address >= first && address < first + memory[i].bytes)
      return memory[i].behind + (address - first);
  }
  return NULL;
}

int cuPointerGetAttribute(void* value, int attribute, uintptr_t address) {
  if (behind(address) == NULL) return invalid_value;
  switch (attribute) {
    case attribute_context:
      *(void**)value = &the_context;
      return success;
    case attribute_memory_type:
      *(unsigned*)value = device_type;
      return success;
    case attribute_device_pointer:
      *(uintptr_t*)value = address;
      return success;
    case attribute_is_managed:
      *(int*)value = 0;
      return success;
    default:
      return invalid_value;
  }
}

int cuCtxPushCurrent_v2(void* context) {
  current = context;
  return success;
}

int cuCtxPopCurrent_v2(void** context) {
  *context = current;
  current = NULL;
  return success;
}

int cuMemcpy(uintptr_t into, uintptr_t from, size_t bytes) {
  if (current == NULL) return invalid_context;
  char* const target = behind(into);
  char* const source = behind(from);
  memcpy(target != NULL ? target : (char*)into, source != NULL ? source : (char*)from, bytes);
  return success;
}
