#include "ProcessShim.h"

#include <fcntl.h>

#ifdef __linux__
#include <malloc.h>
#endif

void ProcessShim_setUp(void) {
  for (int stream = 0; stream <= 2; stream++) {
    // The lowest free number is that of the closed stream.
    if (fcntl(stream, F_GETFD) == -1) (void)open("/dev/null", O_RDONLY);
  }
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 4);
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}
