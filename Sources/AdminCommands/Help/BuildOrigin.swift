internal import BuildShim

/// Where a binary comes from.
struct BuildOrigin: Hashable {
  /// The commit of the sources; `nil` if the build did not record it. Ends with `-modified` if the sources had changes that
  /// were not committed.
  var commit: String?
  /// The tag of the commit, such as `v0.2.0`, for a release; `nil` for other builds.
  var tag: String?
  var isOptimized: Bool
  /// The processor and the system, such as `x86_64 Linux`.
  var platform: String
}

extension BuildOrigin {
  /// The origin of the running binary.
  static var current: BuildOrigin {
    BuildOrigin(
      commit: text(BuildShim_commit()), tag: text(BuildShim_tag()), isOptimized: BuildShim_isOptimized() != 0,
      platform: text(BuildShim_platform()) ?? "unknown")
  }

  private static func text(_ value: UnsafePointer<CChar>?) -> String? {
    let text = value.map { String(cString: $0) } ?? ""
    return text.isEmpty ? nil : text
  }
}
