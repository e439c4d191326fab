#include "LibXML2Shim.h"

#include <stdlib.h>

void *feed_bytes_resize(void *block, size_t size) { return realloc(block, size); }

void feed_bytes_free(void *block) { free(block); }
