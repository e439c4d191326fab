internal import CommandLine
internal import Diagnostics

/// The form of the ids that CloudKit gives to server-to-server keys
/// (Documentation/reference/web-services.md#authentication).
enum ServerKeyID {
  static let length = 64

  /// Why a configured id cannot be one; `nil` if it can. The value is not repeated: it may be a key that was pasted into the
  /// wrong variable.
  static func problem(_ setting: Setting) -> CommandFailure? {
    let id = setting.value
    if id.utf8.count == length, id.utf8.allSatisfy(\.isHexDigit) { return nil }
    let seen =
      id.utf8.count == length
      ? "one of its characters is not one" : "it has \(counted(id.count, "character"))"
    return CommandFailure(
      "\(setting.label) is not the id of a key: an id has \(length) hexadecimal digits, and \(seen)",
      code: "credential", hint: "Copy the id that the CloudKit Console shows beside the key.", status: .denied
    )
  }
}
