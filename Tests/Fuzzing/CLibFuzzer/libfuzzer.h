#pragma once
#include <stddef.h>
#include <stdint.h>

// The library form of libFuzzer, which brings no main of its own. It returns only when no crash was found.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
