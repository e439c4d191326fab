#include "AllocatorShim.h"

#ifdef __linux__
#include <malloc.h>
#endif

void AllocatorShim_setUp(void) {
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}
