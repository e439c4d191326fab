// The system's C library, whatever its name on this platform. A file that calls it imports Platform, so that no other
// module asks which platform it is on.
#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#endif
