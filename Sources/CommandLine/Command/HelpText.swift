public import ArgumentParser

/// The help and usage texts of commands.
public struct HelpText {
  private let root: any ParsableCommand.Type

  public init(_ tool: CommandLineTool) { root = tool.root }

  /// The help or version that `error` asks for; `nil` when it asks for neither.
  public func requested(by error: any Error) -> String? {
    guard root.exitCode(for: error) == .success else { return nil }
    return HelpText.compact(root.fullMessage(for: error))
  }

  public func help(of command: any ParsableCommand.Type, columns: Int? = nil) -> String {
    HelpText.compact(root.helpMessage(for: command, columns: columns))
  }

  /// `celestra-admin seed plan [<options>] [<directory>]`
  public func usage(of command: any ParsableCommand.Type) -> String {
    HelpText.compactUsage(root.usageString(for: command))
  }

  /// The help text with the options in its usage line shortened to `[<options>]`, because each is described below.
  static func compact(_ text: String) -> String {
    let lines = withSharedOptionsLast(text).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { $0.lowercased().hasPrefix("usage: ") ? compactUsage(String($0)) : String($0) }
      .joined(separator: "\n")
  }

  /// ArgumentParser prints titled sections before the untitled one; this moves the shared options to the end.
  private static func withSharedOptionsLast(_ text: String) -> String {
    guard let shared = text.firstRange(of: "\n\n\(sharedOptionsTitle.uppercased()):\n"),
      let own = text[shared.upperBound...].firstRange(of: "\n\nOPTIONS:\n")
    else { return text }
    let end = text[own.upperBound...].firstRange(of: "\n\n")?.lowerBound ?? text.endIndex
    var ownSection = text[own.lowerBound..<end]
    while ownSection.last == "\n" { ownSection.removeLast() }
    return String(text[..<shared.lowerBound] + ownSection + text[shared.lowerBound..<own.lowerBound])
      + (end == text.endIndex ? "\n" : text[end...])
  }

  private static func compactUsage(_ line: String) -> String {
    let option = /\ \[--?[^\]]*\](\ \.\.\.)?/
    guard let first = line.firstRange(of: option) else { return line }
    let start = line[..<first.lowerBound]
    let rest = line[first.lowerBound...].replacing(option, with: "").replacing(" [<options>]", with: "")
    return "\(start.replacing(" [<options>]", with: "")) [<options>]\(rest)"
  }
}
