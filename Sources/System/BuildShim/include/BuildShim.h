#ifndef BUILD_SHIM_H
#define BUILD_SHIM_H

/// What the compiler was given for this build. Swift has no defines with values.

/// The commit and the tag of the sources, from `Package.swift`; empty if it had none.
const char *BuildShim_commit(void);
const char *BuildShim_tag(void);

/// The processor and the system.
const char *BuildShim_platform(void);

/// Whether the compiler optimized.
int BuildShim_isOptimized(void);

#endif
