#include "LibXML2Shim.h"

#include <stdlib.h>
#include <string.h>

void xml_shim_bytes_reserve(xml_shim_bytes *bytes, size_t more) {
  const size_t needed = bytes->count + more;
  size_t capacity = bytes->capacity * 2;
  if (capacity < needed) capacity = needed;
  if (capacity < 256) capacity = 256;
  bytes->base = realloc(bytes->base, capacity);
  if (bytes->base == NULL) abort();
  bytes->capacity = capacity;
}

void xml_shim_bytes_release(xml_shim_bytes *bytes) {
  free(bytes->base);
  *bytes = (xml_shim_bytes){0};
}

const uint8_t *xml_shim_find_byte(const uint8_t *bytes, uint8_t byte, size_t count) {
  return memchr(bytes, byte, count);
}

bool xml_shim_bytes_equal(const uint8_t *left, const uint8_t *right, size_t count) {
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

void xml_shim_text_append_escaped(xml_shim_text *text, const uint8_t *from, size_t count, bool quoted) {
  size_t start = 0;
  for (size_t index = 0; index < count; index++) {
    const char *escaped = reference(from[index], quoted);
    if (escaped == NULL) continue;
    xml_shim_text_append(text, from + start, index - start);
    xml_shim_text_append(text, (const uint8_t *)escaped, strlen(escaped));
    start = index + 1;
  }
  xml_shim_text_append(text, from + start, count - start);
}
