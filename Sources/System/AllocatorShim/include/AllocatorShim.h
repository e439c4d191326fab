#ifndef ALLOCATOR_SHIM_H
#define ALLOCATOR_SHIM_H

/// Sets up glibc's allocator for this program. Call it before the first thread starts. Does nothing on other systems.
///
/// All threads share one arena. An arena of its own grows page by page, with a system call for each: validating 10 MB then
/// takes a sixth longer. Nor can other threads reuse what was freed there.
///
/// Freed blocks of 1 MB or more return to the system at once. By default that threshold rises to the size of the last freed
/// block, up to 32 MB, and a thread that frees a large body keeps its memory.
void AllocatorShim_setUp(void);

#endif
