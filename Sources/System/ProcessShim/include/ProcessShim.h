#ifndef PROCESS_SHIM_H
#define PROCESS_SHIM_H

/// Sets up the process. Call it before the first thread starts.
///
/// Standard streams that are closed become `/dev/null`, open for reading: what opens next would get their number
/// otherwise, and outputs would be written into it. Writing to them fails.
///
/// When what the process printed cannot be written, it ends with an error message and status 1.
///
/// The rest is for glibc's allocator. Threads share four arenas: with one, they wait for each other, and a schema diff or a
/// seed plan takes up to half as long again; with one for each thread, memory that one has freed is of no use to the others.
///
/// Freed blocks of 1 MB or more return to the system at once. By default that threshold rises to the size of the last freed
/// block, up to 32 MB, and a thread that frees a large body keeps its memory.
void ProcessShim_setUp(void);

#endif
