public import ArgumentParser
public import Diagnostics

/// The values of the options that all commands share.
public struct SharedOptionValues: Sendable {
  public var container: String?
  public var environment: EnvironmentOption?
  public var format: OutputFormat?
  public var output: String?
  public var config: String?
  public var color: ColorChoice = .auto
  public var quiet = false
  public var verbose = false
  public var logFormat: LogFormat = .text
  public var via: SchemaAccessMethod?
  public var noInput = false

  public init() {}
}

extension SharedOptionValues {
  /// The file of `--output`; `nil` for standard output.
  public var outputFile: String? { output == "-" ? nil : output }

  /// How the result is colored.
  public func outputStyle(in process: ProcessContext) -> TerminalStyle {
    let isTerminal = output == nil && process.console.output.isTerminal
    return .resolve(color, isTerminal: isTerminal, environment: process.environment)
  }
}

/// The values of `--color`.
public enum ColorChoice: String, Sendable, CaseIterable, ExpressibleByArgument { case auto, always, never }
/// The values of `--log-format`.
public enum LogFormat: String, Sendable, CaseIterable, ExpressibleByArgument { case text, json }
/// The values of `--via`: the management API, or Apple's cktool.
public enum SchemaAccessMethod: String, Sendable, CaseIterable, ExpressibleByArgument { case web, cktool }
/// The values of `--environment`.
public enum EnvironmentOption: String, Sendable, CaseIterable, ExpressibleByArgument {
  case development, production
}
