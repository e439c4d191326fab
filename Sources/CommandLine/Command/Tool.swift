public import ArgumentParser
internal import Diagnostics

/// A command-line tool: its commands, and the settings that they read.
public struct Tool: Sendable {
  public let root: any AsyncParsableCommand.Type
  public let settings: [SettingKey]
  /// Sections of the project file that commands read themselves, and whose mistakes they report themselves.
  public let sections: [String]

  public init(root: any AsyncParsableCommand.Type, settings: [SettingKey], sections: [String]) {
    self.root = root
    self.settings = settings
    self.sections = sections
  }

  /// Runs the tool with the process's arguments and ends the process with the exit status.
  public func start() async {
    do {
      var command = try await parsed(Array(Swift.CommandLine.arguments.dropFirst()))
      guard var asynchronous = command as? any AsyncParsableCommand else { return try command.run() }
      try await asynchronous.run()
    } catch {
      if let help = HelpText(self).requested(by: error) { return print(help) }
      root.exit(withError: error)
    }
  }

  /// The command that the words name. A parse error is printed here, before its exit status is thrown.
  private func parsed(_ words: [String]) async throws -> any ParsableCommand {
    do {
      // The library answers `help` for an unknown command with the help of the tool, and success.
      if words.first == "help", CommandSuggestion.message(for: words, of: root) != nil {
        throw ExitCode.validationFailure
      }
      return try await root.asyncParseAsRoot(CommandSuggestion.withHelpFirst(words, of: root))
    } catch let error where root.exitCode(for: error) == .validationFailure {
      ProcessContext.system.console.writeError(suggestion(for: words) ?? usageMessage(for: error, words))
      throw ExitCode.validationFailure
    }
  }

  private func suggestion(for words: [String]) -> PrintableText? {
    CommandSuggestion.message(for: words.map(\.printableLine), of: root).map { PrintableText(document: $0) }
  }

  /// The parser's message quotes the words of the command line. When parsing the words made printable gives a message
  /// too, its lines are all the parser's own, and are printed as they are.
  private func usageMessage(for error: any Error, _ words: [String]) -> PrintableText {
    func text(_ error: any Error) -> String {
      HelpText.compact(root.fullMessage(for: error)).replacing("Error: ", with: "error: ", maxReplacements: 1)
    }
    do {
      _ = try root.parseAsRoot(CommandSuggestion.withHelpFirst(words.map(\.printableLine), of: root))
      return "\(text(error))\n"
    } catch {
      return PrintableText(document: text(error) + "\n")
    }
  }
}
