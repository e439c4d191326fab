#include "ProcessShim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <malloc.h>
#endif

// Holds all that a command prints, so that only the last write can fail, and its cause is known.
static char printed[1 << 19];

// At the end of the process: what was printed and could not be written, as on a full disk, would be lost without a word.
static void write_rest(void) {
  int has_failed = ferror(stdout);
  errno = 0;
  if ((fflush(stdout) == 0 && !has_failed) || errno == EPIPE) return;
  // The reason of an earlier failure is not known any more.
  fprintf(stderr, "error: cannot write the output%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
  _exit(1);
}

void ProcessShim_setUp(void) {
  setvbuf(stdout, printed, _IOFBF, sizeof printed);
  atexit(write_rest);
  for (int stream = 0; stream <= 2; stream++) {
    // The lowest free number is that of the closed stream.
    if (fcntl(stream, F_GETFD) == -1) (void)open("/dev/null", O_RDONLY);
  }
#ifdef __GLIBC__
  mallopt(M_ARENA_MAX, 4);
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
#endif
}
