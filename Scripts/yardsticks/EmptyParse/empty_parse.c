#include "EmptyParse.h"

#include <libxml/parser.h>
#include <string.h>

static void start(
  void *user, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
  const xmlChar **namespaces, int attribute_count, int defaulted, const xmlChar **attributes
) {
  (void)local, (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)attribute_count;
  (void)defaulted, (void)attributes;
  ++*(int64_t *)user;
}

static void end(void *user, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri) {
  (void)user, (void)local, (void)prefix, (void)uri;
}

static void text(void *user, const xmlChar *bytes, int count) { (void)user, (void)bytes, (void)count; }

int64_t empty_parse(const uint8_t *bytes, size_t count, size_t chunk) {
  xmlSAXHandler sax;
  memset(&sax, 0, sizeof sax);
  sax.initialized = XML_SAX2_MAGIC;
  sax.startElementNs = start;
  sax.endElementNs = end;
  sax.characters = text;
  sax.cdataBlock = text;
  int64_t elements = 0;
  xmlParserCtxtPtr context = xmlCreatePushParserCtxt(&sax, &elements, NULL, 0, NULL);
  if (context == NULL) return -1;
  xmlCtxtUseOptions(context, XML_PARSE_NONET);
  for (size_t offset = 0; offset < count; offset += chunk) {
    const size_t part = count - offset < chunk ? count - offset : chunk;
    xmlParseChunk(context, (const char *)bytes + offset, (int)part, 0);
  }
  xmlParseChunk(context, NULL, 0, 1);
  const int64_t result = context->wellFormed ? elements : -1;
  if (context->myDoc != NULL) xmlFreeDoc(context->myDoc);
  context->myDoc = NULL;
  xmlFreeParserCtxt(context);
  return result;
}
