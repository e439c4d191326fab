#include "LibXML2Shim.h"

#include <stdlib.h>
#include <string.h>

void feed_bytes_reserve(feed_bytes *bytes, size_t more) {
  const size_t needed = bytes->count + more;
  size_t capacity = bytes->capacity * 2;
  if (capacity < needed) capacity = needed;
  if (capacity < 256) capacity = 256;
  bytes->base = realloc(bytes->base, capacity);
  if (bytes->base == NULL) abort();
  bytes->capacity = capacity;
}

void feed_bytes_release(feed_bytes *bytes) {
  free(bytes->base);
  *bytes = (feed_bytes){0};
}

bool feed_bytes_equal(const uint8_t *left, const uint8_t *right, size_t count) {
  return memcmp(left, right, count) == 0;
}

static const char *reference(uint8_t byte, bool quoted) {
  switch (byte) {
  case '&': return "&amp;";
  case '<': return "&lt;";
  case '>': return "&gt;";
  case '"': return quoted ? "&quot;" : NULL;
  default: return NULL;
  }
}

void feed_text_append_escaped(feed_text *text, const uint8_t *from, size_t count, bool quoted) {
  size_t start = 0;
  for (size_t index = 0; index < count; index++) {
    const char *escaped = reference(from[index], quoted);
    if (escaped == NULL) continue;
    feed_text_append(text, from + start, index - start);
    feed_text_append(text, (const uint8_t *)escaped, strlen(escaped));
    start = index + 1;
  }
  feed_text_append(text, from + start, count - start);
}
