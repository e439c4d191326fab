public import Diagnostics

/// What a running command works with: the settings that apply and the ways to the outside.
public struct Session: Sendable {
  public let common: CommonOptions
  public let format: OutputFormat
  public let settings: Settings
  public let world: World
  public let results: ResultStream

  public init(common: CommonOptions, format: OutputFormat, settings: Settings, world: World) {
    self.common = common
    self.format = format
    self.settings = settings
    self.world = world
    results = ResultStream(path: common.outputFile, console: world.console)
  }

  /// Prints a line on standard error, unless `-q` is given.
  public func note(_ text: PrintableText) {
    if !common.quiet { world.console.tell(text + "\n") }
  }
}
