public import ArgumentParser
public import Diagnostics

/// The values of the options that all commands share.
public struct CommonOptions: Sendable {
  public var container: String?
  public var environment: EnvironmentName?
  public var format: OutputFormat?
  public var output: String?
  public var config: String?
  public var color: ColorChoice = .auto
  public var quiet = false
  public var verbose = false
  public var logFormat: LogFormat = .text
  public var via: SchemaRoute?
  public var noInput = false

  public init() {}
}

extension CommonOptions {
  /// The file of `--output`; `nil` for standard output.
  public var outputFile: String? { output == "-" ? nil : output }

  /// How the result is colored.
  public func outputStyle(in process: ProcessContext) -> Style {
    let isTerminal = output == nil && process.console.output.isTerminal
    return .resolve(color, isTerminal: isTerminal, environment: process.environment)
  }
}

public enum ColorChoice: String, Sendable, CaseIterable, ExpressibleByArgument { case auto, always, never }
public enum LogFormat: String, Sendable, CaseIterable, ExpressibleByArgument { case text, json }
public enum SchemaRoute: String, Sendable, CaseIterable, ExpressibleByArgument { case web, cktool }
public enum EnvironmentName: String, Sendable, CaseIterable, ExpressibleByArgument {
  case development, production
}
