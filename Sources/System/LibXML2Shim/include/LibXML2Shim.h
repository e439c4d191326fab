// The one boundary to libxml2 and iconv: a bounded SAX2 push parser that reads UTF-8 only, and a converter that
// makes UTF-8 of everything else. No document type declaration is ever passed to libxml2 (the caller removes it),
// entities are resolved by the caller's hook, and nothing is read from files or the network.
#ifndef LIBXML2_SHIM_H
#define LIBXML2_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct feed_xml_parser feed_xml_parser;

// Names are interned for the life of the parser: equal names have equal addresses. Attributes come in groups of
// five: local name, prefix, namespace, first byte and end of the value; in values `&` is still written as a
// reference.
typedef struct {
  void *_Nullable user;
  // Namespaces come in pairs: prefix, NULL for the default one, and address.
  void (*_Nonnull start)(
    void *_Nullable user, const uint8_t *_Nonnull local, const uint8_t *_Nullable prefix,
    const uint8_t *_Nullable uri, int32_t namespace_count, const uint8_t *_Nullable *_Nullable namespaces,
    int32_t attribute_count,
    const uint8_t *_Nullable *_Nullable attributes);
  void (*_Nonnull end)(void *_Nullable user, const uint8_t *_Nonnull local, const uint8_t *_Nullable prefix);
  void (*_Nonnull text)(void *_Nullable user, const uint8_t *_Nonnull bytes, int32_t count);
  // The replacement text, NUL-terminated, of an entity that is not one of XML's five; NULL when there is none.
  const uint8_t *_Nullable (*_Nonnull entity)(void *_Nullable user, const uint8_t *_Nonnull name);
} feed_xml_handlers;

typedef enum {
  feed_xml_ok = 0,
  feed_xml_ill_formed = 1,         // a fatal error; without recovery nothing more is read
  feed_xml_tag_too_long = 2,       // a tag longer than the bound was refused before libxml2 saw it
  feed_xml_too_many_attributes = 3,
  feed_xml_stopped = 4,            // by feed_xml_stop
} feed_xml_status;

typedef struct {
  bool ill_formed;          // a well-formedness error was met
  bool undeclared_prefix;   // a namespace prefix without a declaration was met
  int32_t line;             // of the first well-formedness error
  char message[160];        // of the first error, without a line end
} feed_xml_errors;

feed_xml_parser *_Nullable feed_xml_create(feed_xml_handlers handlers, bool recover, size_t tag_limit);
feed_xml_status feed_xml_push(feed_xml_parser *_Nonnull parser, const uint8_t *_Nullable bytes, size_t count);
feed_xml_status feed_xml_finish(feed_xml_parser *_Nonnull parser);
// From inside the start handler: no further handler is called and nothing more is read.
void feed_xml_stop(feed_xml_parser *_Nonnull parser);
// From inside any handler: no further handler is called, and reading ends with the current 64 KB.
void feed_xml_stop_soon(feed_xml_parser *_Nonnull parser);
feed_xml_errors feed_xml_get_errors(const feed_xml_parser *_Nonnull parser);
void feed_xml_free(feed_xml_parser *_Nullable parser);

// The same document through libxml2's SAX2 push parser with handlers that do nothing: the yardstick of the
// benchmark. Returns the number of elements, or -1 when the document is ill-formed.
int64_t feed_xml_measure_empty(const uint8_t *_Nonnull bytes, size_t count, size_t chunk);

// realloc, which moves the pages of a large block instead of copying them; NULL when memory is short.
void *_Nullable feed_bytes_resize(void *_Nullable block, size_t size);
void feed_bytes_free(void *_Nullable block);

typedef struct feed_transcoder feed_transcoder;

// NULL when the encoding is not known.
feed_transcoder *_Nullable feed_transcoder_create(const char *_Nonnull encoding);
// Converts as much as fits. Returns the bytes written; `consumed` and `invalid` say how far it came and whether
// it stopped at bytes that do not belong to the encoding. An unfinished character at the end is left unconsumed.
size_t feed_transcoder_convert(
  feed_transcoder *_Nonnull transcoder, const uint8_t *_Nonnull input, size_t count,
  size_t *_Nonnull consumed, bool *_Nonnull invalid, uint8_t *_Nonnull output, size_t capacity);
void feed_transcoder_free(feed_transcoder *_Nullable transcoder);

#endif
