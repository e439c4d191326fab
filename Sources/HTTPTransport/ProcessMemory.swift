import CurlShim

/// The memory of the process.
public enum ProcessMemory {
  /// Lets all threads use what one of them has freed. Call it before the first thread starts.
  public static func limit() { curl_shim_limit_arenas() }
}
