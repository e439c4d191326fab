/// One thing that can be configured. The environment variable's name follows from the key: `cloudkit.keyID` is
/// `CLOUDKIT_KEY_ID`; keys of the tool's own carry its name, so `container` is `CELESTRA_ADMIN_CONTAINER`.
public struct SettingKey: Sendable, Hashable {
  public let name: String
  public let summary: String
  /// Its value is never shown. An empty value hides what other places say, so that a child process can be started
  /// without the secret.
  public var isSecret = false
  /// Only the environment of the process may set it.
  public var isOfProcess = false

  /// What stands before the path in a value that is one: empty where the whole value is a path, `nil` where the value is
  /// not a path. A relative path in a file starts from the folder of the file.
  public var pathPrefix: String?

  public init(
    name: String, summary: String, isSecret: Bool = false, isOfProcess: Bool = false,
    pathPrefix: String? = nil
  ) {
    self.name = name
    self.summary = summary
    self.isSecret = isSecret
    self.isOfProcess = isOfProcess
    self.pathPrefix = pathPrefix
  }

  /// The environment variable: `CLOUDKIT_KEY_ID` for `cloudkit.keyID`.
  public var variable: String {
    let isOurs = !name.hasPrefix("cloudkit.")
    var words = isOurs ? "CELESTRA_ADMIN_" : ""
    var previous: Character = "_"
    for letter in name {
      if letter.isUppercase, previous.isLowercase { words += "_" }
      words += letter == "." ? "_" : letter.uppercased()
      previous = letter
    }
    return words
  }

  public static let httpHosts = SettingKey(
    name: "httpHosts", summary: "hosts that may be reached over plain http", isOfProcess: true)
  public static let pingURL = SettingKey(
    name: "pingURL", summary: "the healthchecks-compatible address that jobs report to", isSecret: true,
    isOfProcess: true)

  /// Read by every command: see ``Settings/timed(_:)``.
  public static let clock = SettingKey(
    name: "clock",
    summary: "the time that the run uses instead of the machine's, so that runs write equal dates")
}
