internal import Platform

/// Finds the seed folder for commands without a folder argument.
public enum SeedFolder {
  public static let name = "seeds"

  /// The folder `seeds` with a `categories.json`, in a folder or in the nearest one above it.
  ///
  /// - Parameter directory: an absolute path.
  public static func nearest(to directory: String) -> String? {
    var folder = directory
    while true {
      let candidate = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      if (try? FileKind("\(candidate)/categories.json")) == .file { return candidate }
      guard let slash = folder.lastIndex(of: "/"), folder != "/" else { return nil }
      folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
    }
  }
}
