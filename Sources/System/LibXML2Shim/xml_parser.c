#include "LibXML2Shim.h"
#include "name_table.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <stdlib.h>
#include <string.h>

struct xml_shim_parser {
  xml_shim_handlers handlers;
  xml_shim_entities entities;
  xmlParserCtxtPtr context;
  xml_shim_limits limits;
  xml_shim_status status;
  size_t depth;
  size_t skipped;     // open elements, from the one that is ignored inwards
  size_t attributes;  // in all tags so far
  uint64_t effort;    // the sum of the squares of these, tag by tag
  name_table names;
  size_t lookups;     // calls of the `code` handler
  xml_shim_errors errors;
  bool recover;
  xmlEntity entity;  // the one returned by the last call of on_entity
};

static const int base_options =
  XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_IGNORE_ENC | XML_PARSE_COMPACT;
// After an error libxml2 no longer resolves even XML's own five entities; with OLDSAX it asks on_entity for them.
static const int recovery_options = XML_PARSE_RECOVER | XML_PARSE_OLDSAX;

static void refuse(xml_shim_parser *parser, xml_shim_status status) {
  parser->status = status;
  xmlStopParser(parser->context);
}

// libxml2 compares the attributes of a tag with each other. Above this a document has cost tenths of a second.
static const uint64_t effort_limit = 100 * 1000 * 1000;

// Whether more than `limit` bytes are between the `<` and the end of the tag that was just parsed. A value cannot
// contain a `<`. Mostly even the whole buffer before that end is shorter.
static bool tag_exceeds(size_t limit, const xmlParserInput *input) {
  const xmlChar *open = input->cur;
  if ((size_t)(open - input->base) <= limit) return false;
  while (open > input->base && *open != '<') open--;
  return (size_t)(input->cur - open) > limit;
}

static void on_start(
  void *user, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
  const xmlChar **namespaces, int attribute_count, int defaulted, const xmlChar **attributes
) {
  xml_shim_parser *parser = user;
  (void)defaulted;
  if (parser->status != xml_shim_ok) return;
  parser->attributes += (size_t)attribute_count;
  parser->effort += (uint64_t)attribute_count * (uint64_t)attribute_count;
  if (tag_exceeds(parser->limits.tag, parser->context->input)) return refuse(parser, xml_shim_tag_too_long);
  if (parser->effort > effort_limit) return refuse(parser, xml_shim_too_many_attributes);
  if (++parser->depth > parser->limits.depth) return refuse(parser, xml_shim_too_deep);
  if (parser->attributes > parser->limits.attributes) return refuse(parser, xml_shim_too_many_attributes);
  if ((size_t)namespace_count > parser->limits.namespaces) {
    return refuse(parser, xml_shim_too_many_namespaces);
  }
  if (parser->skipped > 0) {
    parser->skipped++;
    return;
  }
  xml_shim_element element = {
    local, prefix, uri, namespaces, attributes, namespace_count, attribute_count, 0,
  };
  name_entry *entry = name_table_find(&parser->names, &element);
  if (entry->local != NULL) {
    element.code = entry->code;
  } else {
    if (++parser->lookups > parser->limits.names) return refuse(parser, xml_shim_too_many_names);
    element.code = parser->handlers.code(parser->handlers.user, &element);
    name_table_add(&parser->names, entry, &element);
  }
  switch (parser->handlers.start(parser->handlers.user, &element)) {
  case xml_shim_read: break;
  case xml_shim_skip: parser->skipped = 1; break;
  case xml_shim_leave: refuse(parser, xml_shim_stopped); break;
  }
}

static void on_end(void *user, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
  xml_shim_parser *parser = user;
  (void)local, (void)prefix, (void)uri;
  if (parser->status != xml_shim_ok) return;
  if (parser->depth > 0) parser->depth--;
  if (parser->skipped > 0) {
    parser->skipped--;
  } else {
    parser->handlers.end(parser->handlers.user);
  }
}

static void on_text(void *user, const xmlChar *bytes, int count) {
  const xml_shim_parser *parser = user;
  xml_shim_text *text = parser->handlers.text;
  if (text->mode == xml_shim_text_ignored || parser->skipped > 0 || parser->status != xml_shim_ok) return;
  if (text->mode == xml_shim_text_escaped) {
    xml_shim_text_append_escaped(text, bytes, (size_t)count, false);
  } else {
    xml_shim_text_append(text, bytes, (size_t)count);
  }
}

static const xmlChar *predefined(const xmlChar *name) {
  if (strcmp((const char *)name, "amp") == 0) return BAD_CAST "&";
  if (strcmp((const char *)name, "lt") == 0) return BAD_CAST "<";
  if (strcmp((const char *)name, "gt") == 0) return BAD_CAST ">";
  if (strcmp((const char *)name, "quot") == 0) return BAD_CAST "\"";
  if (strcmp((const char *)name, "apos") == 0) return BAD_CAST "'";
  return NULL;
}

static xmlEntityPtr on_entity(void *user, const xmlChar *name) {
  xml_shim_parser *parser = user;
  if (parser->status != xml_shim_ok) return NULL;
  // After an error libxml2 drops every entity. The error is recorded already.
  if (parser->recover) parser->context->wellFormed = 1;
  const xmlChar *text = predefined(name);
  const bool own = text != NULL;
  if (!own) text = parser->entities.text(parser->entities.user, name);
  if (text == NULL) return NULL;
  xmlEntityPtr entity = &parser->entity;
  memset(entity, 0, sizeof *entity);
  entity->type = XML_ENTITY_DECL;
  entity->name = name;
  entity->orig = BAD_CAST "";
  entity->etype = XML_INTERNAL_PREDEFINED_ENTITY;
  entity->content = (xmlChar *)text;
  entity->length = (int)strlen((const char *)text);
  if (!own && parser->context->instate == XML_PARSER_ATTRIBUTE_VALUE) {
    // In an attribute value libxml2 copies one byte of a predefined entity. Without content it keeps the reference.
    entity->etype = XML_INTERNAL_GENERAL_ENTITY;
    entity->content = NULL;
    entity->length = 0;
  }
  return entity;
}

static void record(xml_shim_parser *parser, const xmlError *error) {
  if (error->domain == XML_FROM_NAMESPACE) {
    if (error->code == XML_NS_ERR_UNDEFINED_NAMESPACE) parser->errors.undeclared_prefix = true;
    return;
  }
  if (error->level < XML_ERR_ERROR || parser->errors.ill_formed) return;
  parser->errors.ill_formed = true;
  parser->errors.line = error->line;
  if (error->message == NULL) return;
  strncpy(parser->errors.message, error->message, sizeof parser->errors.message - 1);
  parser->errors.message[strcspn(parser->errors.message, "\r\n")] = 0;
}

#if LIBXML_VERSION >= 21200
static void on_error(void *user, const xmlError *error) { record(user, error); }
#else
static void on_error(void *user, xmlErrorPtr error) { record(user, error); }
#endif

static void fill(xmlSAXHandler *sax) {
  memset(sax, 0, sizeof *sax);
  sax->initialized = XML_SAX2_MAGIC;
  sax->startElementNs = on_start;
  sax->endElementNs = on_end;
  sax->characters = on_text;
  sax->ignorableWhitespace = on_text;
  sax->cdataBlock = on_text;
  sax->getEntity = on_entity;
  sax->serror = on_error;
}

xml_shim_parser *xml_shim_create(
  xml_shim_handlers handlers, xml_shim_entities entities, bool recover, xml_shim_limits limits
) {
  xml_shim_parser *parser = calloc(1, sizeof *parser);
  if (parser == NULL) return NULL;
  xmlSAXHandler sax;
  fill(&sax);
  parser->handlers = handlers;
  parser->entities = entities;
  parser->recover = recover;
  parser->limits = limits;
  parser->context = xmlCreatePushParserCtxt(&sax, parser, NULL, 0, NULL);
  if (parser->context == NULL) {
    free(parser);
    return NULL;
  }
  xmlCtxtUseOptions(parser->context, base_options | (recover ? recovery_options : 0));
  return parser;
}

static xml_shim_status settle(xml_shim_parser *parser) {
  if (parser->status == xml_shim_ok && parser->errors.ill_formed && !parser->recover) {
    parser->status = xml_shim_ill_formed;
  }
  return parser->status;
}

static const size_t slice = 16 << 10;

// libxml2 buffers everything after a `&` until a `;` arrives. No reference is this long.
static void refuse_endless_reference(xml_shim_parser *parser) {
  const xmlParserInput *input = parser->context->input;
  if (input == NULL || input->end - input->cur <= 64 << 10 || *input->cur != '&') return;
  if (parser->errors.ill_formed) return;
  parser->errors.ill_formed = true;
  parser->errors.line = input->line;
  strncpy(parser->errors.message, "a reference without end", sizeof parser->errors.message - 1);
}

// libxml2 holds back a tag until it has arrived completely, and then parses it without a pause.
static void refuse_long_tag(xml_shim_parser *parser) {
  const xmlParserInput *input = parser->context->input;
  if (parser->context->instate != XML_PARSER_START_TAG || input == NULL) return;
  if (parser->status == xml_shim_ok && input->end - input->cur > (ptrdiff_t)parser->limits.tag) {
    refuse(parser, xml_shim_tag_too_long);
  }
}

static xml_shim_status push_slice(xml_shim_parser *parser, const uint8_t *bytes, size_t count) {
  xmlParseChunk(parser->context, (const char *)bytes, (int)count, 0);
  refuse_long_tag(parser);
  if (parser->status == xml_shim_ok && (size_t)xmlDictSize(parser->context->dict) > parser->limits.names) {
    refuse(parser, xml_shim_too_many_names);
  }
  refuse_endless_reference(parser);
  return settle(parser);
}

xml_shim_status xml_shim_push(xml_shim_parser *parser, const uint8_t *bytes, size_t count) {
  // libxml2 copies its input; slices keep the copy small, and a tag that is parsed at most a slice over its limit.
  while (count > 0 && parser->status == xml_shim_ok) {
    const size_t part = count > slice ? slice : count;
    push_slice(parser, bytes, part);
    bytes += part;
    count -= part;
  }
  return parser->status;
}

xml_shim_status xml_shim_finish(xml_shim_parser *parser) {
  if (parser->status == xml_shim_ok) xmlParseChunk(parser->context, NULL, 0, 1);
  return settle(parser);
}

void xml_shim_stop_soon(xml_shim_parser *parser) { parser->status = xml_shim_stopped; }

xml_shim_errors xml_shim_get_errors(const xml_shim_parser *parser) { return parser->errors; }

int32_t xml_shim_line(const xml_shim_parser *parser) {
  const xmlParserInput *input = parser->context->input;
  return input == NULL ? 0 : input->line;
}

int32_t xml_shim_column(const xml_shim_parser *parser) {
  const xmlParserInput *input = parser->context->input;
  return input == NULL ? 1 : input->col;
}

void xml_shim_free(xml_shim_parser *parser) {
  if (parser == NULL) return;
  if (parser->context->myDoc != NULL) xmlFreeDoc(parser->context->myDoc);
  parser->context->myDoc = NULL;
  xmlFreeParserCtxt(parser->context);
  free(parser);
}
