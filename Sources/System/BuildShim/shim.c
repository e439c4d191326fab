#include "BuildShim.h"

#define TEXT_OF(value) #value
#define TEXT(value) TEXT_OF(value)

#ifndef BUILD_COMMIT
#define BUILD_COMMIT
#endif
#ifndef BUILD_TAG
#define BUILD_TAG
#endif

#if defined(__x86_64__)
#define PROCESSOR "x86_64"
#elif defined(__aarch64__)
#define PROCESSOR "aarch64"
#else
#define PROCESSOR "unknown processor"
#endif

#if defined(__APPLE__)
#define SYSTEM "macOS"
#elif defined(__linux__)
#define SYSTEM "Linux"
#else
#define SYSTEM "unknown system"
#endif

const char *BuildShim_commit(void) { return TEXT(BUILD_COMMIT); }

const char *BuildShim_tag(void) { return TEXT(BUILD_TAG); }

const char *BuildShim_platform(void) { return PROCESSOR " " SYSTEM; }

int BuildShim_isOptimized(void) {
#ifdef __OPTIMIZE__
  return 1;
#else
  return 0;
#endif
}
