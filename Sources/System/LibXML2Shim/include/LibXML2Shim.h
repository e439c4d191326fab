// The only boundary to libxml2 and iconv: a SAX2 push parser for XML and one for HTML, with limits, that read UTF-8
// only, and a converter to UTF-8. The caller removes the document type declaration, so libxml2 never sees one; entities are resolved by the
// caller's handler; nothing is read from files or the network.
#ifndef LIBXML2_SHIM_H
#define LIBXML2_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Bytes that grow at their end. realloc moves large blocks without copying them. The process ends when memory runs
// out, as it does in Swift's own collections.
typedef struct {
  uint8_t *_Nullable base;
  size_t count;
  size_t capacity;
} xml_shim_bytes;

void xml_shim_bytes_reserve(xml_shim_bytes *_Nonnull bytes, size_t more);

static inline void xml_shim_bytes_append(xml_shim_bytes *_Nonnull bytes, const uint8_t *_Nullable from, size_t count) {
  if (count == 0) return;
  if (bytes->capacity - bytes->count < count) xml_shim_bytes_reserve(bytes, count);
  if (count == 1) {
    // A reference mostly resolves to one byte: a third of all pieces in feeds that escape their markup.
    bytes->base[bytes->count] = *from;
  } else {
    memcpy(bytes->base + bytes->count, from, count);
  }
  bytes->count += count;
}

// Frees the memory as well.
void xml_shim_bytes_release(xml_shim_bytes *_Nonnull bytes);
// The first `byte`, or NULL.
const uint8_t *_Nullable xml_shim_find_byte(const uint8_t *_Nonnull bytes, uint8_t byte, size_t count);
bool xml_shim_bytes_equal(const uint8_t *_Nonnull left, const uint8_t *_Nonnull right, size_t count);

typedef enum {
  xml_shim_text_ignored = 0,
  xml_shim_text_plain = 1,
  xml_shim_text_escaped = 2,  // `&`, `<` and `>` are written as references
} xml_shim_text_mode;

// Where the parser writes text. The text of one element arrives in several pieces.
typedef struct {
  xml_shim_bytes bytes;
  xml_shim_text_mode mode;
  size_t limit;    // bytes kept; the rest is dropped
  bool truncated;  // true when something was dropped
} xml_shim_text;

// Adds plain bytes, whatever the mode.
static inline void xml_shim_text_append(xml_shim_text *_Nonnull text, const uint8_t *_Nullable from, size_t count) {
  const size_t room = text->limit - text->bytes.count;
  if (count > room) {
    count = room;
    text->truncated = true;
  }
  xml_shim_bytes_append(&text->bytes, from, count);
}

// Adds bytes with `&`, `<` and `>` escaped; `quoted` also escapes the double quote.
void xml_shim_text_append_escaped(
  xml_shim_text *_Nonnull text, const uint8_t *_Nullable from, size_t count, bool quoted);

typedef struct xml_shim_parser xml_shim_parser;

// A start tag, valid while its handler runs. Names are interned for the life of the parser: equal names have equal
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
  uint16_t code;  // what the `code` handler returned for its name
} xml_shim_element;

typedef enum {
  xml_shim_read = 0,
  xml_shim_skip = 1,   // ignore the element: no handler is called for anything inside it, nor for its end
  xml_shim_leave = 2,  // read nothing more of the document
} xml_shim_interest;

typedef struct {
  void *_Nullable user;
  xml_shim_text *_Nonnull text;
  // The caller's own number for the name of an element; called once for each name.
  uint16_t (*_Nonnull code)(void *_Nullable user, const xml_shim_element *_Nonnull element);
  xml_shim_interest (*_Nonnull start)(void *_Nullable user, const xml_shim_element *_Nonnull element);
  void (*_Nonnull end)(void *_Nullable user);
} xml_shim_handlers;

typedef struct {
  void *_Nullable user;
  // The replacement text, NUL-terminated, of an entity other than XML's five; NULL when there is none.
  const uint8_t *_Nullable (*_Nonnull text)(void *_Nullable user, const uint8_t *_Nonnull name);
} xml_shim_entities;

typedef struct {
  size_t tag;         // bytes of one tag
  size_t depth;       // nested elements
  size_t attributes;  // in all tags of the document
  size_t namespaces;  // declared by one tag: each makes later name lookups slower
  size_t names;       // distinct names: libxml2's table of them slows down as it grows
} xml_shim_limits;

typedef enum {
  xml_shim_ok = 0,
  xml_shim_ill_formed = 1,         // a fatal error; without recovery nothing more is read
  // A limit was exceeded:
  xml_shim_tag_too_long = 2,
  xml_shim_too_many_attributes = 3,
  xml_shim_too_many_namespaces = 4,
  xml_shim_too_many_names = 5,
  xml_shim_too_deep = 6,
  xml_shim_stopped = 7,            // by the start handler or xml_shim_stop_soon
} xml_shim_status;

typedef struct {
  bool ill_formed;          // a well-formedness error was met
  bool undeclared_prefix;   // a namespace prefix without a declaration was met
  int32_t line;             // of the first well-formedness error
  char message[160];        // of the first error, without a line end
} xml_shim_errors;

xml_shim_parser *_Nullable xml_shim_create(
  xml_shim_handlers handlers, xml_shim_entities entities, bool recover, xml_shim_limits limits);
xml_shim_status xml_shim_push(xml_shim_parser *_Nonnull parser, const uint8_t *_Nullable bytes, size_t count);
xml_shim_status xml_shim_finish(xml_shim_parser *_Nonnull parser);
// Call from inside a handler: no further handler is called, and reading ends after the current 16 KB.
void xml_shim_stop_soon(xml_shim_parser *_Nonnull parser);
xml_shim_errors xml_shim_get_errors(const xml_shim_parser *_Nonnull parser);
// The line that is being read, from 1.
int32_t xml_shim_line(const xml_shim_parser *_Nonnull parser);
// The column that is being read, from 1.
int32_t xml_shim_column(const xml_shim_parser *_Nonnull parser);
void xml_shim_free(xml_shim_parser *_Nullable parser);

typedef struct {
  void *_Nullable user;
  // `attributes` are pairs of name and value, ended by a NULL name; the value of an attribute without one is NULL.
  // References are resolved. Returns false to read nothing more.
  bool (*_Nonnull start)(
    void *_Nullable user, const uint8_t *_Nonnull name, const uint8_t *_Nullable const *_Nullable attributes);
  void (*_Nonnull end)(void *_Nullable user);
  void (*_Nonnull text)(void *_Nullable user, const uint8_t *_Nonnull bytes, size_t count);
} html_shim_handlers;

// Reads a whole HTML page in UTF-8 with libxml2's HTML SAX push parser: comments, scripts and styles reach no handler.
// Of the limits, `tag`, `depth`, `attributes` and `names` apply.
xml_shim_status html_shim_read(
  html_shim_handlers handlers, xml_shim_limits limits, const uint8_t *_Nullable bytes, size_t count);

// The name that HTML 4 has for the character with this code; NULL for most.
const char *_Nullable xml_shim_html_entity(uint32_t code);

typedef struct xml_shim_transcoder xml_shim_transcoder;

// NULL when the encoding is not known.
xml_shim_transcoder *_Nullable xml_shim_transcoder_create(const char *_Nonnull encoding);
// Converts as much as fits and returns the number of bytes written. `consumed` is the number of bytes read; `invalid`
// is true when it stopped at bytes that are not valid in the encoding. An incomplete character at the end is not
// consumed.
size_t xml_shim_transcoder_convert(
  xml_shim_transcoder *_Nonnull transcoder, const uint8_t *_Nonnull input, size_t count,
  size_t *_Nonnull consumed, bool *_Nonnull invalid, uint8_t *_Nonnull output, size_t capacity);
void xml_shim_transcoder_free(xml_shim_transcoder *_Nullable transcoder);

#endif
