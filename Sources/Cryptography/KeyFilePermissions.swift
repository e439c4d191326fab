internal import FoundationEssentials

/// Checks that only its owner can access a file with a secret.
public enum KeyFilePermissions {
  /// A warning when the group or other users may read or change the file; `nil` when only the owner can, or when the
  /// file does not exist.
  ///
  /// The group may read a file of another owner: this process then reads it as a member of the group, as secrets of
  /// Kubernetes (`fsGroup`) and systemd are given to a process, and could not change the mode.
  ///
  /// - Parameter userID: the effective user of this process.
  public static func warning(path: String, userID: UInt32) -> String? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let mode = attributes?[.posixPermissions] as? UInt else { return nil }
    let owner = attributes?[.ownerAccountID] as? UInt
    return warning(path: path, mode: mode, isOwn: owner == nil || owner == UInt(userID))
  }

  /// The same for known permission bits, such as 0o644.
  static func warning(path: String, mode: UInt, isOwn: Bool = true) -> String? {
    guard mode & (isOwn ? 0o077 : 0o037) != 0 else { return nil }
    let bits = String(mode & 0o777, radix: 8)
    return "other users can reach the key file \(path) (mode 0\(bits)): run chmod 600 on it"
  }
}
