internal import CommandLine
internal import Diagnostics

/// The value of `--container`: the kind and location of a container.
enum ContainerLocation: Sendable, Hashable, CustomStringConvertible {
  /// A SQLite file.
  case local(path: String)
  /// A container in memory, which is deleted when the command ends.
  case memory
  /// A container that is reached through CloudKit Web Services, at Apple or an emulator.
  case cloudKit(id: String)

  static let defaultPath = ".celestra/container.sqlite"

  /// Throws a usage error that lists the accepted forms.
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

  /// The container that a setting names. Error messages only quote the value if it comes from the command line,
  /// because a file could contain a secret in the wrong setting.
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
