internal import SystemPackage

/// Checks that only its owner can access a file with a secret.
public enum SecretFileCheck {
  /// A warning when other users may read or change the file; `nil` when they cannot, or when the file does not exist.
  ///
  /// - Parameters:
  ///   - content: what the file holds, such as "key".
  ///   - userID: the effective user of this process.
  public static func warning(path: String, content: String, userID: UInt32 = ProcessUser.id) -> String? {
    guard let status = try? Stat(FilePath(path)) else { return nil }
    return objection(
      mode: UInt32(status.permissions.rawValue), owner: status.userID.rawValue, userID: userID
    ).map { "\($0.replacing("FILE", with: "the \(content) file \(path)"))" }
  }

  /// The group may read a file of the administrator: this process then reads it as a member of the group, as secrets of
  /// Kubernetes (`fsGroup`) and systemd are given to a process, and could not change the mode.
  static func objection(mode: UInt32, owner: UInt32, userID: UInt32) -> String? {
    let isOwn = owner == userID
    if mode & (isOwn ? 0o077 : 0o037) != 0 {
      return "other users can reach FILE (mode 0\(String(mode & 0o777, radix: 8))): run chmod 600 on it"
    }
    return isOwn || owner == 0 ? nil : "FILE belongs to another user (\(owner)), who can change it"
  }
}
