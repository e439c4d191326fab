internal import Diagnostics
internal import LocalContainer

/// The report of `container restore`: record counts before and after.
struct RestoreReport: Report {
  let path: String
  let before: ContainerFileInfo
  let after: ContainerFileInfo
  let isDryRun: Bool

  var isConfirmation: Bool { !isDryRun }

  var json: JSONValue {
    [
      "path": .string(path), "dryRun": .bool(isDryRun), "before": .array(before.counts.map(\.json)),
      "after": .array(after.counts.map(\.json)),
    ]
  }

  func text(_ style: TerminalStyle) -> PrintableText {
    let verb = isDryRun ? "would replace" : "replaced"
    return
      "\(verb) \(counted(before.recordCount, "record")) by the \(counted(after.recordCount, "record")) of \(path)\n"
  }
}

extension ContainerFileInfo {
  var recordCount: Int64 { counts.reduce(0) { $0 + $1.records } }
}
