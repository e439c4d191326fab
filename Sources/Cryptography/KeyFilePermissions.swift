internal import FoundationEssentials

/// Looks at who can read a file that holds a secret.
public enum KeyFilePermissions {
  /// A sentence for the file's owner when group or others may read or change the file; `nil` when only the owner
  /// can, or when there is no such file.
  public static func warning(path: String) -> String? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let mode = attributes?[.posixPermissions] as? UInt else { return nil }
    return warning(path: path, mode: mode)
  }

  /// The same for permission bits already known, such as 0o644.
  static func warning(path: String, mode: UInt) -> String? {
    guard mode & 0o077 != 0 else { return nil }
    let bits = String(mode & 0o777, radix: 8)
    return "other users can reach the key file \(path) (mode 0\(bits)): run chmod 600 on it"
  }
}
