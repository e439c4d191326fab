internal import SystemPackage

/// The user that this process acts as.
public enum ProcessUser {
  /// The effective user id.
  public static var id: UInt32 { SystemCalls.userID.rawValue }
}
