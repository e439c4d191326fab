#include "LibXML2Shim.h"
#include "name_table.h"
#include "tag_guard.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <stdlib.h>
#include <string.h>

struct feed_xml_parser {
  feed_xml_handlers handlers;
  xmlParserCtxtPtr context;
  tag_guard guard;
  feed_xml_limits limits;
  feed_xml_status status;
  size_t depth;
  size_t skipped;     // open elements of which the outermost does not matter
  size_t attributes;  // of all tags so far
  name_table names;
  size_t questions;   // about the meaning of a name
  feed_xml_errors errors;
  bool recover;
  xmlEntity entity;  // the answer to the last question about an entity
};

static const int base_options =
  XML_PARSE_NONET | XML_PARSE_NOCDATA | XML_PARSE_IGNORE_ENC | XML_PARSE_COMPACT;
// After an error libxml2 forgets even XML's own five entities; OLDSAX sends them through the hook below.
static const int recovery_options = XML_PARSE_RECOVER | XML_PARSE_OLDSAX;

static void refuse(feed_xml_parser *parser, feed_xml_status status) {
  parser->status = status;
  xmlStopParser(parser->context);
}

static void on_start(
  void *user, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
  const xmlChar **namespaces, int attribute_count, int defaulted, const xmlChar **attributes
) {
  feed_xml_parser *parser = user;
  (void)defaulted;
  if (parser->status != feed_xml_ok) return;
  parser->attributes += (size_t)attribute_count;
  if (++parser->depth > parser->limits.depth) return refuse(parser, feed_xml_too_deep);
  if (parser->attributes > parser->limits.attributes) return refuse(parser, feed_xml_too_many_attributes);
  if ((size_t)namespace_count > parser->limits.namespaces) {
    return refuse(parser, feed_xml_too_many_namespaces);
  }
  if (parser->skipped > 0) {
    parser->skipped++;
    return;
  }
  feed_xml_element element = {
    local, prefix, uri, namespaces, attributes, namespace_count, attribute_count, 0,
  };
  name_entry *entry = name_table_find(&parser->names, &element);
  if (entry->local != NULL) {
    element.meaning = entry->meaning;
  } else {
    if (++parser->questions > parser->limits.names) return refuse(parser, feed_xml_too_many_names);
    element.meaning = parser->handlers.meaning(parser->handlers.user, &element);
    name_table_add(&parser->names, entry, &element);
  }
  if (!parser->handlers.start(parser->handlers.user, &element)) parser->skipped = 1;
}

static void on_end(void *user, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
  feed_xml_parser *parser = user;
  (void)local, (void)prefix, (void)uri;
  if (parser->status != feed_xml_ok) return;
  if (parser->depth > 0) parser->depth--;
  if (parser->skipped > 0) {
    parser->skipped--;
  } else {
    parser->handlers.end(parser->handlers.user);
  }
}

static void on_text(void *user, const xmlChar *bytes, int count) {
  const feed_xml_parser *parser = user;
  feed_text *text = parser->handlers.text;
  if (text->mode == feed_text_ignored || parser->skipped > 0 || parser->status != feed_xml_ok) return;
  if (text->mode == feed_text_escaped) {
    feed_text_append_escaped(text, bytes, (size_t)count, false);
  } else {
    feed_text_append(text, bytes, (size_t)count);
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
  feed_xml_parser *parser = user;
  if (parser->status != feed_xml_ok) return NULL;
  // After an error libxml2 drops every entity; the error is on record already.
  if (parser->recover) parser->context->wellFormed = 1;
  const xmlChar *text = predefined(name);
  const bool own = text != NULL;
  if (!own) text = parser->handlers.entity(parser->handlers.user, name);
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
    // In a value libxml2 takes one byte of a predefined entity; without content it leaves the reference as it is.
    entity->etype = XML_INTERNAL_GENERAL_ENTITY;
    entity->content = NULL;
    entity->length = 0;
  }
  return entity;
}

static void record(feed_xml_parser *parser, const xmlError *error) {
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

feed_xml_parser *feed_xml_create(feed_xml_handlers handlers, bool recover, feed_xml_limits limits) {
  feed_xml_parser *parser = calloc(1, sizeof *parser);
  if (parser == NULL) return NULL;
  xmlSAXHandler sax;
  fill(&sax);
  parser->handlers = handlers;
  parser->recover = recover;
  parser->limits = limits;
  tag_guard_init(&parser->guard, limits.tag);
  parser->context = xmlCreatePushParserCtxt(&sax, parser, NULL, 0, NULL);
  if (parser->context == NULL) {
    free(parser);
    return NULL;
  }
  xmlCtxtUseOptions(parser->context, base_options | (recover ? recovery_options : 0));
  return parser;
}

static feed_xml_status settle(feed_xml_parser *parser) {
  if (parser->status == feed_xml_ok && parser->errors.ill_formed && !parser->recover) {
    parser->status = feed_xml_ill_formed;
  }
  return parser->status;
}

static const size_t slice = 64 << 10;

// libxml2 gathers all that comes behind a `&` until there is a `;`, and no reference is as long as a slice.
static void refuse_endless_reference(feed_xml_parser *parser) {
  const xmlParserInput *input = parser->context->input;
  if (input == NULL || input->end - input->cur <= (ptrdiff_t)slice || *input->cur != '&') return;
  if (parser->errors.ill_formed) return;
  parser->errors.ill_formed = true;
  parser->errors.line = input->line;
  strncpy(parser->errors.message, "a reference without end", sizeof parser->errors.message - 1);
}

static feed_xml_status push_slice(feed_xml_parser *parser, const uint8_t *bytes, size_t count) {
  switch (tag_guard_scan(&parser->guard, bytes, count)) {
  case guard_pass: break;
  case guard_tag_too_long: return parser->status = feed_xml_tag_too_long;
  case guard_too_many_attributes: return parser->status = feed_xml_too_many_attributes;
  }
  xmlParseChunk(parser->context, (const char *)bytes, (int)count, 0);
  if (parser->status == feed_xml_ok && (size_t)xmlDictSize(parser->context->dict) > parser->limits.names) {
    refuse(parser, feed_xml_too_many_names);
  }
  refuse_endless_reference(parser);
  return settle(parser);
}

feed_xml_status feed_xml_push(feed_xml_parser *parser, const uint8_t *bytes, size_t count) {
  // libxml2 copies what it is given: in slices the copy stays small.
  while (count > 0 && parser->status == feed_xml_ok) {
    const size_t part = count > slice ? slice : count;
    push_slice(parser, bytes, part);
    bytes += part;
    count -= part;
  }
  return parser->status;
}

feed_xml_status feed_xml_finish(feed_xml_parser *parser) {
  if (parser->status == feed_xml_ok) xmlParseChunk(parser->context, NULL, 0, 1);
  return settle(parser);
}

void feed_xml_stop(feed_xml_parser *parser) { refuse(parser, feed_xml_stopped); }

void feed_xml_stop_soon(feed_xml_parser *parser) { parser->status = feed_xml_stopped; }

feed_xml_errors feed_xml_get_errors(const feed_xml_parser *parser) { return parser->errors; }

void feed_xml_free(feed_xml_parser *parser) {
  if (parser == NULL) return;
  if (parser->context->myDoc != NULL) xmlFreeDoc(parser->context->myDoc);
  parser->context->myDoc = NULL;
  xmlFreeParserCtxt(parser->context);
  free(parser);
}
