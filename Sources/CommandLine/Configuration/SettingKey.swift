/// The name of a setting. The environment variable's name is derived from it: `CLOUDKIT_KEY_ID` for
/// `cloudkit.keyID`, and with the tool's prefix for other keys: `CELESTRA_ADMIN_CONTAINER` for `container`.
public struct SettingKey: Sendable, Hashable {
  public let name: String
  public let summary: String
  /// Whether the value is never shown. An empty value overrides later origins, so that a child process can be
  /// started without the secret.
  public var isSecret = false
  /// Whether only an environment variable can set it.
  public var isOfProcess = false

  /// The prefix before the path in the value, such as `local:`; empty if the whole value is a path, `nil` if it is
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

  /// The setting that freezes the clock, see ``Settings/timed(_:)``.
  public static let clock = SettingKey(
    name: "clock",
    summary: "the time that the run uses instead of the machine's, so that runs write equal dates")
}
