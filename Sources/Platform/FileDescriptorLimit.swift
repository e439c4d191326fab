/// The number of files and connections that this process may have open at the same time.
public enum FileDescriptorLimit {
  /// Raises the limit to `wanted`, or as far as the system allows, and returns how many of the wanted descriptors the
  /// process may now have.
  public static func raise(to wanted: Int) -> Int {
    var limit = rlimit()
    guard getrlimit(resource, &limit) == 0 else { return min(wanted, leastLimit) }
    let needed = rlim_t(max(0, wanted))
    if limit.rlim_cur < needed {
      var higher = limit
      higher.rlim_cur = min(needed, limit.rlim_max)
      if setrlimit(resource, &higher) == 0 { limit = higher }
    }
    return Int(min(limit.rlim_cur, needed))
  }

  #if canImport(Glibc)
    /// Glibc declares an enumeration for the names, and functions that take its numbers.
    static let resource = Int32(RLIMIT_NOFILE.rawValue)
  #else
    static let resource = RLIMIT_NOFILE
  #endif

  /// What every supported system allows at least.
  private static let leastLimit = 256
}
