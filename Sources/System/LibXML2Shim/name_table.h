// The code of each element name, by the address at which libxml2 interns the name: the `code` handler then runs once
// for each name of a document.
#ifndef NAME_TABLE_H
#define NAME_TABLE_H

#include "LibXML2Shim.h"

enum {
  name_table_size = 512,
  // A document with more names is unusual; the handler is then called for each of their elements.
  name_table_capacity = 384,
};

typedef struct {
  const uint8_t *local;
  const uint8_t *prefix;
  const uint8_t *uri;
  uint16_t code;
} name_entry;

typedef struct {
  name_entry entries[name_table_size];
  size_t count;
} name_table;

// The entry of the element's name, or the free entry for it, whose `local` is NULL.
static inline name_entry *name_table_find(name_table *table, const xml_shim_element *element) {
  // Interned names are close together in memory; the high bits of the product spread them over the table.
  size_t slot = (size_t)((((uint64_t)(uintptr_t)element->local + (uintptr_t)element->uri) * 0x9E3779B97F4A7C15u) >> 55);
  for (;; slot++) {
    name_entry *entry = &table->entries[slot % name_table_size];
    if (entry->local == NULL) return entry;
    if (entry->local == element->local && entry->uri == element->uri && entry->prefix == element->prefix) {
      return entry;
    }
  }
}

static inline void name_table_add(name_table *table, name_entry *free, const xml_shim_element *element) {
  if (table->count == name_table_capacity) return;
  *free = (name_entry){element->local, element->prefix, element->uri, element->code};
  table->count++;
}

#endif
