/// A command, an option or a value of an option that the tool no longer takes, and what took its place.
package struct FormerName: Sendable, Hashable {
  /// The path of the command; empty for an option of all commands.
  private let command: [String]
  /// The option, and perhaps its value; empty for the command itself.
  private let option: [String]
  private let successor: String

  /// - Parameter name: as a user types it: `seed drift`, `--via`, `recount --names shape`.
  package init(_ name: String, is successor: String) {
    let words = name.split(separator: " ").map(String.init)
    let start = words.firstIndex { $0.hasPrefix("-") } ?? words.endIndex
    command = Array(words[..<start])
    option = Array(words[start...])
    self.successor = successor
  }

  func refusalOfCommand(in words: [String]) -> UsageRefusal? {
    guard option.isEmpty, words.drop(while: { $0 == "help" }).starts(with: command) else { return nil }
    return refusal(
      command, help: successor.split(separator: " ").map(String.init).prefix { !$0.hasPrefix("-") })
  }

  /// The usage error for arguments that the parser refused, if this option is among them.
  func refusalOfOption(in words: [String]) -> UsageRefusal? {
    guard let name = option.first, words.starts(with: command) else { return nil }
    let given = words.prefix { $0 != "--" }
    let isGiven =
      option.count == 1
      ? given.contains { $0 == name || $0.hasPrefix("\(name)=") }
      : given.contains(option.joined(separator: "=")) || given.contains(option)
    return isGiven ? refusal(option, help: command[...]) : nil
  }

  private func refusal(_ name: [String], help command: ArraySlice<String>) -> UsageRefusal {
    UsageRefusal(
      "'\(name.joined(separator: " "))' is now '\(successor)'", helpOf: ["celestra-admin"] + command)
  }
}
