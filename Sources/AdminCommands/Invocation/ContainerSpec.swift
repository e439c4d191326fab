internal import CommandLine
internal import Diagnostics

/// Where the records are, as `--container` says it.
enum ContainerSpec: Sendable, Hashable, CustomStringConvertible {
  /// A SQLite file.
  case local(path: String)
  /// Gone when the command ends.
  case memory
  /// A container behind CloudKit Web Services, Apple's or an emulator's.
  case cloudKit(id: String)

  static let defaultPath = ".celestra/container.sqlite"

  /// Throws a usage failure that says what would have been understood.
  init(_ text: String) throws {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count == 2 ? parts[1] : nil) {
    case ("local", let path?) where !path.isEmpty: self = .local(path: path)
    case ("memory", ""): self = .memory
    case ("cloudkit", let id?) where id.hasPrefix("iCloud.") && !id.contains("/"): self = .cloudKit(id: id)
    case ("cloudkit", let id?):
      throw CommandFailure.usage(
        "'\(id)' is not a container id", hint: "Container ids look like iCloud.com.example.App.")
    default:
      throw CommandFailure.usage(
        "invalid container '\(text)'", hint: "Use local:PATH, memory: or cloudkit:iCloud.com.example.App.")
    }
  }

  /// What a setting names. The value is shown only where it comes from the command line, where a person has typed it.
  init(_ setting: Setting) throws {
    let isID = setting.key == .cloudKitContainer
    do {
      try self.init(isID ? "cloudkit:\(setting.value)" : setting.value)
    } catch  where setting.origin.name != "flag" {
      throw setting.refused(
        mustBe: isID
          ? "a container id such as iCloud.com.example.App"
          : "local:PATH, memory: or cloudkit:iCloud.com.example.App")
    }
  }

  var description: String {
    switch self {
    case .local(let path): "local:\(path)"
    case .memory: "memory:"
    case .cloudKit(let id): "cloudkit:\(id)"
    }
  }
}
