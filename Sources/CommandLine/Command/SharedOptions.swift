package import ArgumentParser
package import Diagnostics
internal import Platform

package let sharedOptionsTitle = "Shared options"

/// The options that all commands share. The help of a command lists only its own formats, and `--container` only if
/// the command uses one. Hidden options are still accepted.
///
/// Options have no default values, so that an omitted option does not override the environment or a file.
package struct SharedOptions<Command: CommandFormats>: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(
      "Where the records are: local:PATH, memory: or cloudkit:CONTAINER-ID. Default: the configuration, else "
        + "local:.celestra/container.sqlite.",
      valueName: "spec", visibility: containerVisibility))
  package var container: String?

  @Option(
    help: ArgumentHelp(
      "The environment: development (the default) or production.", valueName: "name",
      visibility: containerVisibility))
  package var environment: EnvironmentOption?

  @Option(
    help: ArgumentHelp("Output format: \(formats).", valueName: "format"),
    completion: .list(Command.formats.map(\.rawValue)), transform: parseFormat)
  package var format: OutputFormat?

  @Option(
    help: ArgumentHelp(
      "Write the result to this file. A name such as plan.json chooses the format.", valueName: "file"),
    completion: .file())
  package var output: String?

  @Option(
    help: ArgumentHelp(
      "Project file. Default: celestra-admin.json here or in a parent folder.", valueName: "file"),
    completion: .file())
  package var config: String?

  @Option(help: ArgumentHelp("When to color the output.", valueName: "when"))
  package var color: ColorChoice = .auto

  @Flag(
    name: .shortAndLong,
    help: "Print only what was asked for and what needs a person: no notes, no confirmation.")
  package var quiet = false

  @Flag(name: .shortAndLong, help: "Log each request and decision to standard error.")
  var verbose = false

  @Option(help: ArgumentHelp("Format of log lines.", valueName: "format"))
  package var logFormat: LogFormat = .text

  @Option(
    help: ArgumentHelp(
      "How to reach a CloudKit container's schema: web (the default), or cktool, which needs Xcode.",
      valueName: "route", visibility: containerVisibility))
  package var schemaRoute: SchemaAccessMethod?

  @Flag(help: "Never prompt; without --yes, fail before a deletion or a write to production.")
  package var noInput = false

  package init() {}

  package func validate() throws {
    if let output, OutputFormat(rawValue: output) != nil {
      throw ValidationError(
        "--output takes a file: --format \(output) chooses the format, and ./\(output) is a file of that name"
      )
    }
  }

  private static var containerVisibility: ArgumentVisibility { Command.usesContainer ? .default : .hidden }

  private static func parseFormat(_ text: String) throws -> OutputFormat {
    guard let format = OutputFormat(rawValue: text) else {
      throw ValidationError("this command takes \(formats)")
    }
    return format
  }

  /// `text (the default), json or markdown`.
  private static var formats: String {
    var names = Command.formats.map(\.rawValue)
    guard names.count > 1 else { return names.joined() }
    names[0] += " (the default)"
    let last = names.removeLast()
    return names.joined(separator: ", ") + " or \(last)"
  }

  package var values: SharedOptionValues {
    SharedOptionValues(
      container: container, environment: environment, format: format, output: output, config: config,
      color: color, quiet: quiet, verbose: verbose, logFormat: logFormat, schemaRoute: schemaRoute,
      noInput: noInput)
  }
}

package protocol CommandFormats: SendableMetatype {
  static var formats: [OutputFormat] { get }
  /// Whether the command uses a container. If not, help hides `--container`; scripts may still pass it, and it is
  /// ignored.
  static var usesContainer: Bool { get }
}

enum FormatsOfAll: CommandFormats {
  static let formats = OutputFormat.allCases
  static let usesContainer = true
}

package struct SharedOptionValues: Sendable {
  package var container: String?
  package var environment: EnvironmentOption?
  package var format: OutputFormat?
  package var output: String?
  package var config: String?
  package var color: ColorChoice = .auto
  package var quiet = false
  package var verbose = false
  package var logFormat: LogFormat = .text
  package var schemaRoute: SchemaAccessMethod?
  package var noInput = false

  package static var none: SharedOptionValues { SharedOptionValues() }

  /// The file of `--output`; `nil` for standard output.
  package var outputFile: String? { output == "-" ? nil : output }

  /// For a command that reads or writes the file of `--output` itself: its report goes to standard output.
  package var withoutOutput: SharedOptionValues {
    return copy(of: self) { $0.output = nil }
  }

  package func outputStyle(in process: ProcessContext) -> TerminalStyle {
    .resolve(
      color, on: outputFile == nil ? process.console.output : nil, environment: process.environment,
      isDevice: outputFile.flatMap { try? FileKind($0) } == .other)
  }

  package func errorStyle(in process: ProcessContext) -> TerminalStyle {
    .resolve(color, on: process.console.errors, environment: process.environment)
  }
}

package enum ColorChoice: String, Sendable, CaseIterable, ExpressibleByArgument { case auto, always, never }
package enum LogFormat: String, Sendable, CaseIterable, ExpressibleByArgument { case text, json }
/// The values of `--schema-route`: the management API, or Apple's cktool.
package enum SchemaAccessMethod: String, Sendable, CaseIterable, ExpressibleByArgument { case web, cktool }
package enum EnvironmentOption: String, Sendable, CaseIterable, ExpressibleByArgument {
  case development, production
}

/// Parses the value of an option into an enum of a library, so that libraries do not depend on the command-line
/// parser.
package enum EnumOption {
  package static func words<Value: CaseIterable & RawRepresentable<String>>(_ type: Value.Type)
    -> CompletionKind
  {
    .list(Value.allCases.map(\.rawValue))
  }

  package static func parse<Value: CaseIterable & RawRepresentable<String>>(_ text: String) throws -> Value {
    if let value = Value(rawValue: text) { return value }
    let words = Value.allCases.map(\.rawValue)
    let near = SpellingSuggestion.help(text, among: words, quote: "'").map { "; \($0)" } ?? ""
    throw ValidationError("'\(text)' is not one of \(words.joined(separator: ", "))\(near)")
  }
}

/// Parses durations such as 30s, 5m, 1h30m or 7d, as reports print them. A number alone is refused: who writes 30 for
/// 30 minutes would get 30 seconds.
package enum DurationParser {
  /// In seconds, the longest first.
  private static let units: [(letter: Character, seconds: Double)] = [
    ("d", 86_400), ("h", 3600), ("m", 60), ("s", 1),
  ]

  /// The maximum duration in seconds; sums of several still fit into a `Duration`.
  private static let longest = 36_525.0 * 86_400

  /// Throws a usage error for other text, and for 0.
  package static func parse(_ text: String) throws -> Duration {
    if Double(text) ?? 0 > 0 {
      throw ValidationError("'\(text)' has no unit; write \(text)s, \(text)m, \(text)h or \(text)d")
    }
    guard let seconds = seconds(text), !text.isEmpty else {
      throw ValidationError("'\(text)' is not a duration; write it as 30s, 5m, 1h30m or 7d")
    }
    guard seconds > 0 else { throw ValidationError("'\(text)' must be longer than 0") }
    guard seconds <= longest else {
      throw ValidationError("the duration '\(text)' is longer than a hundred years")
    }
    return .seconds(seconds)
  }

  /// The sum of the parts, which must get smaller; `nil` for other text.
  private static func seconds(_ text: String) -> Double? {
    var (rest, sum, former) = (text[...], 0.0, Double.infinity)
    while !rest.isEmpty {
      let digits = rest.prefix { "0123456789.".contains($0) }
      guard let number = Double(digits), let letter = rest.dropFirst(digits.count).first,
        let unit = units.first(where: { $0.letter == letter }), unit.seconds < former
      else { return nil }
      (sum, former) = (sum + number * unit.seconds, unit.seconds)
      rest = rest.dropFirst(digits.count + 1)
    }
    return sum
  }
}
