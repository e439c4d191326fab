#include "LibXML2Shim.h"

#include <libxml/HTMLparser.h>
#include <stdlib.h>

typedef struct {
  htmlParserCtxtPtr context;
  html_shim_handlers handlers;
  xml_shim_limits limits;
  xml_shim_status status;
  size_t depth;
  size_t attributes;
  uint64_t effort;
} html_parser;

// libxml2 compares the attributes of a tag with each other. Above this the page has cost tenths of a second.
static const uint64_t effort_limit = 50 * 1000 * 1000;

static void on_html_start(void *user, const xmlChar *name, const xmlChar **attributes) {
  html_parser *parser = user;
  if (parser->status != xml_shim_ok) return;
  size_t count = 0;
  if (attributes != NULL) {
    while (attributes[2 * count] != NULL) count++;
  }
  parser->attributes += count;
  parser->effort += (uint64_t)count * count;
  if (++parser->depth > parser->limits.depth) {
    parser->status = xml_shim_too_deep;
  } else if (parser->attributes > parser->limits.attributes || parser->effort > effort_limit) {
    parser->status = xml_shim_too_many_attributes;
  } else if (!parser->handlers.start(parser->handlers.user, name, attributes)) {
    parser->status = xml_shim_stopped;
  }
}

static void on_html_end(void *user, const xmlChar *name) {
  html_parser *parser = user;
  (void)name;
  if (parser->status != xml_shim_ok || parser->depth == 0) return;
  parser->depth--;
  parser->handlers.end(parser->handlers.user);
}

static void on_html_text(void *user, const xmlChar *bytes, int count) {
  const html_parser *parser = user;
  if (parser->status == xml_shim_ok && count > 0) {
    parser->handlers.text(parser->handlers.user, bytes, (size_t)count);
  }
}

// The contents of script and style. Without this handler they would arrive as text.
static void on_html_script(void *user, const xmlChar *bytes, int count) {
  (void)user, (void)bytes, (void)count;
}

static void on_html_error(void *user, const char *message, ...) { (void)user, (void)message; }

// libxml2 holds back a tag until it has arrived completely, and then parses it without a pause.
static bool holds_long_tag(const html_parser *parser) {
  const xmlParserInput *input = parser->context->input;
  if (input == NULL || input->cur == NULL || input->end <= input->cur) return false;
  if ((size_t)(input->end - input->cur) <= parser->limits.tag || *input->cur != '<') return false;
  return input->cur[1] != '!' && input->cur[1] != '?';
}

static void read_slices(html_parser *parser, const uint8_t *bytes, size_t count) {
  static const size_t slice = 16 << 10;
  while (count > 0 && parser->status == xml_shim_ok) {
    const size_t part = count > slice ? slice : count;
    htmlParseChunk(parser->context, (const char *)bytes, (int)part, 0);
    bytes += part;
    count -= part;
    if (parser->status != xml_shim_ok) return;
    if (holds_long_tag(parser)) parser->status = xml_shim_tag_too_long;
    if ((size_t)xmlDictSize(parser->context->dict) > parser->limits.names) {
      parser->status = xml_shim_too_many_names;
    }
  }
  if (parser->status == xml_shim_ok) htmlParseChunk(parser->context, NULL, 0, 1);
}

xml_shim_status html_shim_read(
  html_shim_handlers handlers, xml_shim_limits limits, const uint8_t *bytes, size_t count
) {
  htmlSAXHandler sax;
  memset(&sax, 0, sizeof sax);
  sax.startElement = on_html_start;
  sax.endElement = on_html_end;
  sax.characters = on_html_text;
  sax.ignorableWhitespace = on_html_text;
  sax.cdataBlock = on_html_script;
  sax.warning = on_html_error;
  sax.error = on_html_error;
  html_parser parser = {.handlers = handlers, .limits = limits, .status = xml_shim_ok};
  parser.context = htmlCreatePushParserCtxt(&sax, &parser, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
  if (parser.context == NULL) return xml_shim_stopped;
  // Never NOIMPLIED: everything after the first element would be lost. The encoding is settled before.
  htmlCtxtUseOptions(
    parser.context, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET
                      | HTML_PARSE_IGNORE_ENC | HTML_PARSE_COMPACT);
  read_slices(&parser, bytes, count);
  if (parser.context->myDoc != NULL) xmlFreeDoc(parser.context->myDoc);
  parser.context->myDoc = NULL;
  htmlFreeParserCtxt(parser.context);
  return parser.status;
}

const char *xml_shim_html_entity(uint32_t code) {
  const htmlEntityDesc *entity = htmlEntityValueLookup(code);
  return entity == NULL ? NULL : entity->name;
}
