#include "tag_guard.h"

#include <stdbool.h>
#include <string.h>

// Above this, libxml2 would take most of a second to compare the attributes with each other.
static const uint64_t effort_limit = 100 * 1000 * 1000;

void tag_guard_init(tag_guard *guard, size_t limit) {
  memset(guard, 0, sizeof *guard);
  guard->limit = limit;
}

// Advances to the byte after `terminator` (such as "-->"), or to the end.
static const uint8_t *skip_past(
  tag_guard *guard, const uint8_t *p, const uint8_t *end, const char *terminator
) {
  const uint8_t last = (uint8_t)strlen(terminator);
  while (p < end) {
    if (guard->matched == 0) {
      p = memchr(p, terminator[0], (size_t)(end - p));
      if (p == NULL) return end;
    }
    if (*p == (uint8_t)terminator[guard->matched]) {
      guard->matched++;
    } else if (!(guard->matched == 2 && last == 3 && *p == (uint8_t)terminator[0])) {
      // `]]]>` and `--->` keep their last two bytes; anything else starts over at this byte.
      guard->matched = *p == (uint8_t)terminator[0];
    }
    p++;
    if (guard->matched == last) {
      guard->matched = 0;
      guard->state = guard_text;
      return p;
    }
  }
  return end;
}

static const uint8_t *scan_value(tag_guard *guard, const uint8_t *p, const uint8_t *end) {
  const uint8_t *start = p;
  while (p < end && *p != guard->quote && *p != '<') p++;
  guard->length += (size_t)(p - start);
  if (p == end) return p;
  // `<` cannot occur in a value: the quote was never closed, and a new tag begins.
  guard->state = *p == '<' ? guard_open : guard_tag;
  guard->length++;
  return p + 1;
}

static void close_tag(tag_guard *guard) {
  guard->effort += (uint64_t)guard->equals * guard->equals;
  guard->state = guard_text;
}

// The bytes inside a tag that scan_tag acts on.
static const bool is_delimiter[256] = {['='] = true, ['"'] = true, ['\''] = true, ['>'] = true};

static const uint8_t *scan_tag(tag_guard *guard, const uint8_t *p, const uint8_t *end) {
  const uint8_t *start = p;
  for (; p < end; p++) {
    const uint8_t byte = *p;
    if (!is_delimiter[byte]) continue;
    if (byte == '=') {
      guard->equals++;
    } else if (byte == '"' || byte == '\'') {
      guard->quote = byte;
      guard->state = guard_value;
      break;
    } else if (byte == '>') {
      close_tag(guard);
      break;
    }
  }
  guard->length += (size_t)(p - start);
  return p < end ? p + 1 : p;
}

static const uint8_t *scan_declaration(tag_guard *guard, const uint8_t *p) {
  const uint8_t byte = *p;
  guard->opening[guard->matched++] = (char)byte;
  const uint8_t matched = guard->matched;
  if (matched <= 2 && memcmp(guard->opening, "--", matched) == 0) {
    if (matched == 2) guard->state = guard_comment, guard->matched = 0;
  } else if (memcmp(guard->opening, "[CDATA[", matched) == 0) {
    if (matched == 7) guard->state = guard_cdata, guard->matched = 0;
  } else {
    guard->state = byte == '>' ? guard_text : guard_tag;
    guard->matched = 0;
  }
  return p + 1;
}

static const uint8_t *open_tag(tag_guard *guard, const uint8_t *p) {
  guard->matched = 0;
  guard->length = 1;
  guard->equals = 0;
  guard->state = *p == '!' ? guard_declaration : *p == '?' ? guard_instruction : guard_tag;
  return guard->state == guard_tag ? p : p + 1;
}

// The byte after an ordinary tag that has arrived completely; NULL for any other. With so few attributes a tag costs no
// more than its bytes.
static const uint8_t *skip_whole_tag(tag_guard *guard, const uint8_t *open, const uint8_t *end) {
  enum { ordinary_attributes = 32 };
  const uint8_t *p = open + 1;
  size_t equals = 0;
  for (;; p++) {
    while (p < end && !is_delimiter[*p]) p++;
    if (p == end) return NULL;
    if (*p == '>') break;
    if (*p == '=') {
      if (++equals > ordinary_attributes) return NULL;
    } else {
      const uint8_t quote = *p++;
      while (p < end && *p != quote && *p != '<') p++;
      if (p == end || *p == '<') return NULL;
    }
  }
  if ((size_t)(p - open) > guard->limit) return NULL;
  return p + 1;
}

// The byte after a CDATA section that has arrived completely; NULL otherwise.
static const uint8_t *skip_whole_cdata(const uint8_t *open, const uint8_t *end) {
  static const size_t opening = 9;
  if ((size_t)(end - open) < opening || memcmp(open, "<![CDATA[", opening) != 0) return NULL;
  for (const uint8_t *p = open + opening; end - p >= 3; p++) {
    p = memchr(p, ']', (size_t)(end - p) - 2);
    if (p == NULL) return NULL;
    if (p[1] == ']' && p[2] == '>') return p + 3;
  }
  return NULL;
}

// The first `<` that `mark` follows, or the end. `found` is the result of the last search with this mark, or NULL.
static const uint8_t *find_opening(const uint8_t *p, const uint8_t *found, const uint8_t *end, char mark) {
  if (found >= p) return found;
  for (p++; p < end; p++) {
    p = memchr(p, mark, (size_t)(end - p));
    if (p == NULL) return end;
    if (p[-1] == '<') return p - 1;
  }
  return end;
}

// Returns the last `<` between p and the end, or p if there is none.
static const uint8_t *last_open(const uint8_t *p, const uint8_t *end) {
  while (--end > p && *end != '<') {}
  return end;
}

// Skips ordinary tags and text, which is nearly all input; the states below handle the rest. Returns the `<` of what
// was not skipped, or NULL at the end.
static const uint8_t *skip_ordinary(tag_guard *guard, const uint8_t *p, const uint8_t *end) {
  // A tag ends before the next `<`. When that is near, the tag is too short to be expensive.
  enum { harmless = 256 };
  const uint8_t *declaration = NULL, *tags_end = NULL;
  p = memchr(p, '<', (size_t)(end - p));
  while (p != NULL) {
    declaration = find_opening(p, declaration, end, '!');
    tags_end = find_opening(p, tags_end, declaration, '?');
    const uint8_t *next;
    if (p == tags_end) {
      next = skip_whole_cdata(p, end);
    } else if (tags_end - p <= harmless) {
      next = tags_end < end ? tags_end : last_open(p, end);
    } else {
      next = last_open(p, p + harmless);
    }
    if (next == p) next = skip_whole_tag(guard, p, end);
    if (next == NULL) return p;
    p = next < end && *next == '<' ? next : memchr(next, '<', (size_t)(end - next));
  }
  return p;
}

guard_verdict tag_guard_scan(tag_guard *guard, const uint8_t *p, size_t count) {
  const uint8_t *end = p + count;
  while (p < end) {
    switch (guard->state) {
    case guard_text:
      p = skip_ordinary(guard, p, end);
      if (p == NULL) return guard_pass;
      p++;
      guard->state = guard_open;
      break;
    case guard_open: p = open_tag(guard, p); break;
    case guard_tag: p = scan_tag(guard, p, end); break;
    case guard_value: p = scan_value(guard, p, end); break;
    case guard_declaration: p = scan_declaration(guard, p); break;
    case guard_comment: p = skip_past(guard, p, end, "-->"); break;
    case guard_cdata: p = skip_past(guard, p, end, "]]>"); break;
    case guard_instruction: p = skip_past(guard, p, end, "?>"); break;
    }
    if (guard->length > guard->limit) return guard_tag_too_long;
    if (guard->effort + (uint64_t)guard->equals * guard->equals > effort_limit) {
      return guard_too_many_attributes;
    }
  }
  return guard_pass;
}
