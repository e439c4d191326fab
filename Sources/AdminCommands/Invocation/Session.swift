internal import CloudKitModel
internal import Diagnostics

/// What a running command works with: the settings that apply and the ways to the outside.
struct Session: Sendable {
  let common: CommonOptions
  let format: OutputFormat
  let settings: Settings
  let world: World

  func envelope(for title: String) -> Envelope {
    Envelope(command: title, container: nil, environment: nil)
  }
}
