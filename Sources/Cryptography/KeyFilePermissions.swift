internal import FoundationEssentials

/// Checks that only its owner can access a file with a secret.
public enum KeyFilePermissions {
  /// A warning when the group or other users may read or change the file; `nil` when only the owner can, or when the
  /// file does not exist.
  public static func warning(path: String) -> String? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let mode = attributes?[.posixPermissions] as? UInt else { return nil }
    return warning(path: path, mode: mode)
  }

  /// The same for known permission bits, such as 0o644.
  static func warning(path: String, mode: UInt) -> String? {
    guard mode & 0o077 != 0 else { return nil }
    let bits = String(mode & 0o777, radix: 8)
    return "other users can reach the key file \(path) (mode 0\(bits)): run chmod 600 on it"
  }
}
