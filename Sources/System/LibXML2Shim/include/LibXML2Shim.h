// The one boundary to libxml2 and iconv: a bounded SAX2 push parser that reads UTF-8 only, and a converter that
// makes UTF-8 of everything else. No document type declaration is ever passed to libxml2 (the caller removes it),
// entities are resolved by the caller's hook, and nothing is read from files or the network.
#ifndef LIBXML2_SHIM_H
#define LIBXML2_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Bytes that grow at their end. Large blocks are moved by the system rather than copied; the process ends when memory
// is short, as it does in Swift's own collections.
typedef struct {
  uint8_t *_Nullable base;
  size_t count;
  size_t capacity;
} feed_bytes;

void feed_bytes_reserve(feed_bytes *_Nonnull bytes, size_t more);

static inline void feed_bytes_append(feed_bytes *_Nonnull bytes, const uint8_t *_Nullable from, size_t count) {
  if (count == 0) return;
  if (bytes->capacity - bytes->count < count) feed_bytes_reserve(bytes, count);
  if (count == 1) {
    // What a reference stands for is mostly one byte: a third of all pieces in feeds that escape their markup.
    bytes->base[bytes->count] = *from;
  } else {
    memcpy(bytes->base + bytes->count, from, count);
  }
  bytes->count += count;
}

// Gives the memory back, too.
void feed_bytes_release(feed_bytes *_Nonnull bytes);
bool feed_bytes_equal(const uint8_t *_Nonnull left, const uint8_t *_Nonnull right, size_t count);

typedef enum {
  feed_text_ignored = 0,
  feed_text_plain = 1,
  feed_text_escaped = 2,  // `&`, `<` and `>` are written as references
} feed_text_mode;

// Where the parser puts the text it meets: most of it belongs to elements that are kept, in several pieces each.
typedef struct {
  feed_bytes bytes;
  feed_text_mode mode;
  size_t limit;    // bytes kept; the rest is dropped
  bool truncated;  // something was
} feed_text;

// Adds plain bytes, whatever the mode.
static inline void feed_text_append(feed_text *_Nonnull text, const uint8_t *_Nullable from, size_t count) {
  const size_t room = text->limit - text->bytes.count;
  if (count > room) {
    count = room;
    text->truncated = true;
  }
  feed_bytes_append(&text->bytes, from, count);
}

// Adds bytes with references for what XML reserves; `quoted` escapes the double quote, too.
void feed_text_append_escaped(
  feed_text *_Nonnull text, const uint8_t *_Nullable from, size_t count, bool quoted);

typedef struct feed_xml_parser feed_xml_parser;

// A start tag, good while its handler runs. Names are interned for the life of the parser: equal names have equal
// addresses.
typedef struct {
  const uint8_t *_Nonnull local;
  const uint8_t *_Nullable prefix;
  const uint8_t *_Nullable uri;
  // In pairs: prefix, NULL for the default one, and address.
  const uint8_t *_Nullable *_Nullable namespaces;
  // In groups of five: local name, prefix, namespace, first byte and end of the value; in values `&` is still written
  // as a reference.
  const uint8_t *_Nullable *_Nullable attributes;
  int32_t namespace_count;
  int32_t attribute_count;
  uint16_t meaning;  // what the `meaning` handler said of its name
} feed_xml_element;

typedef struct {
  void *_Nullable user;
  feed_text *_Nonnull text;
  // What the name of an element stands for, in the user's own numbers: asked once for each name.
  uint16_t (*_Nonnull meaning)(void *_Nullable user, const feed_xml_element *_Nonnull element);
  // False when nothing inside the element matters: no handler is then called up to its end, and not for that either.
  bool (*_Nonnull start)(void *_Nullable user, const feed_xml_element *_Nonnull element);
  void (*_Nonnull end)(void *_Nullable user);
  // The replacement text, NUL-terminated, of an entity that is not one of XML's five; NULL when there is none.
  const uint8_t *_Nullable (*_Nonnull entity)(void *_Nullable user, const uint8_t *_Nonnull name);
} feed_xml_handlers;

typedef struct {
  size_t tag;         // bytes of one tag
  size_t depth;       // nested elements
  size_t attributes;  // of all tags of the document
  size_t namespaces;  // declared by one tag: more make every later name expensive to look up
  size_t names;       // different ones: libxml2's table of them slows down with their number
} feed_xml_limits;

typedef enum {
  feed_xml_ok = 0,
  feed_xml_ill_formed = 1,         // a fatal error; without recovery nothing more is read
  // Refused, because reading on would cost more than a feed is worth:
  feed_xml_tag_too_long = 2,       // seen before libxml2 does
  feed_xml_too_many_attributes = 3,
  feed_xml_too_many_namespaces = 4,
  feed_xml_too_many_names = 5,
  feed_xml_too_deep = 6,
  feed_xml_stopped = 7,            // by feed_xml_stop
} feed_xml_status;

typedef struct {
  bool ill_formed;          // a well-formedness error was met
  bool undeclared_prefix;   // a namespace prefix without a declaration was met
  int32_t line;             // of the first well-formedness error
  char message[160];        // of the first error, without a line end
} feed_xml_errors;

feed_xml_parser *_Nullable feed_xml_create(
  feed_xml_handlers handlers, bool recover, feed_xml_limits limits);
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
