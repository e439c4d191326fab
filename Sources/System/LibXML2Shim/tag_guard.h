// Tracks where tags begin and end, so that a hostile tag is refused before libxml2 parses it: libxml2's work on a
// start tag grows with the square of its attributes and cannot be interrupted.
#ifndef TAG_GUARD_H
#define TAG_GUARD_H

#include <stddef.h>
#include <stdint.h>

typedef enum { guard_pass, guard_tag_too_long, guard_too_many_attributes } guard_verdict;

typedef enum {
  guard_text, guard_open, guard_tag, guard_value, guard_declaration, guard_comment, guard_cdata, guard_instruction
} guard_state;

typedef struct {
  guard_state state;
  size_t limit;        // bytes of one tag
  size_t length;       // of the current tag so far
  size_t equals;       // `=` in the current tag so far: an upper bound on its attributes
  uint64_t effort;     // sum of squares of the attributes of all tags so far
  uint8_t quote;       // that closes the current value
  uint8_t matched;     // bytes of the current terminator or declaration seen
  char opening[7];     // what followed `<!`
} tag_guard;

void tag_guard_init(tag_guard *guard, size_t limit);
guard_verdict tag_guard_scan(tag_guard *guard, const uint8_t *bytes, size_t count);

#endif
