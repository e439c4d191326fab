#include "LibXML2Shim.h"

#include <errno.h>
#include <iconv.h>
#include <stdlib.h>

struct xml_shim_transcoder {
  iconv_t descriptor;
};

xml_shim_transcoder *xml_shim_transcoder_create(const char *encoding) {
  iconv_t descriptor = iconv_open("UTF-8", encoding);
  if (descriptor == (iconv_t)-1) return NULL;
  xml_shim_transcoder *transcoder = malloc(sizeof *transcoder);
  if (transcoder == NULL) {
    iconv_close(descriptor);
    return NULL;
  }
  transcoder->descriptor = descriptor;
  return transcoder;
}

size_t xml_shim_transcoder_convert(
  xml_shim_transcoder *transcoder, const uint8_t *input, size_t count, size_t *consumed, bool *invalid,
  uint8_t *output, size_t capacity
) {
  char *from = (char *)input;
  char *to = (char *)output;
  size_t left = count;
  size_t room = capacity;
  const size_t result = iconv(transcoder->descriptor, &from, &left, &to, &room);
  *consumed = count - left;
  *invalid = result == (size_t)-1 && errno == EILSEQ;
  return capacity - room;
}

void xml_shim_transcoder_free(xml_shim_transcoder *transcoder) {
  if (transcoder == NULL) return;
  iconv_close(transcoder->descriptor);
  free(transcoder);
}
