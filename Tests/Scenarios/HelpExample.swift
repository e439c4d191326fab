import Foundation

/// An example of a command's help.
struct HelpExample: Sendable {
  /// `seed plan`
  let command: String
  /// As the help shows it.
  let line: String

  /// The examples of all commands, from the JSON that the binary prints about its help.
  static func all() async throws -> [HelpExample] {
    let dump = try await Tool(directory: "/").run(["--experimental-dump-help"])
    let document = try JSONSerialization.jsonObject(with: Data(dump.out.utf8)) as? [String: Any]
    return examples(of: document?["command"] as? [String: Any] ?? [:], [])
  }

  private static func examples(of command: [String: Any], _ path: [String]) -> [HelpExample] {
    let subcommands = command["subcommands"] as? [[String: Any]] ?? []
    let own = lines(of: command["discussion"] as? String ?? "").map {
      HelpExample(command: path.joined(separator: " "), line: $0)
    }
    return own
      + subcommands.flatMap { examples(of: $0, path + [$0["commandName"] as? String ?? ""]) }
  }

  /// `Example: COMMAND`, or indented commands after `Examples:`; a backslash continues a line.
  private static func lines(of discussion: String) -> [String] {
    var found: [String] = []
    var isBlock = false
    for line in discussion.replacing("\\\n", with: " ").split(separator: "\n") {
      if let match = line.wholeMatch(of: /Examples?:\ *(.*)/) {
        isBlock = match.1.isEmpty
        if !isBlock { found.append(String(match.1)) }
      } else if isBlock, line.hasPrefix("  ") {
        found.append(String(line.drop { $0 == " " }).replacing(/\ +/, with: " "))
      } else {
        isBlock = false
      }
    }
    return found
  }
}

/// How an example is run in a folder of its own, which has what the test prepared for all of them.
struct ExampleRun: Sendable {
  enum Place: Sendable {
    /// A shell in the folder.
    case folder
    /// A shell below an emulator that serves the folder's container, or one with another schema.
    case emulator(schema: String = "schema/celestra.ckdb", environment: String = "development")
    /// Until it is asked to stop. It is ready when it has written the file.
    case service(readyFile: String)
  }

  var place = Place.folder
  /// The command of the help names what its reader has: these commands make it.
  var before = ""
  /// Names of the world outside, and what stands for them here.
  var replacing: [String: String] = [:]
  /// Options for a run without a person, or without a network.
  var adding = ""

  /// The bash script of an example.
  func script(_ example: HelpExample) -> String {
    var line = example.line
    for (name, stand) in replacing { line = line.replacing(name, with: stand) }
    line += " \(adding)"
    guard case .service(let ready) = place else { return "set -e\n\(before)\n\(line)\n" }
    return """
      set -e
      \(before)
      \(line) & service=$!
      until [ -s \(ready) ]; do kill -0 $service; sleep 0.05; done
      kill -TERM $service; wait $service
      """
  }

  /// The command that runs a script of this name in its place.
  func command(_ script: String) -> String {
    guard case .emulator(let schema, let environment) = place else { return "bash \(script)" }
    return """
      celestra-admin emulator exec --schema \(schema) --container cloudkit:\(Self.container) \
      --environment \(environment) -- bash \(script)
      """
  }

  /// The container in the help of commands that need CloudKit.
  static let container = "iCloud.com.example.App"
}
