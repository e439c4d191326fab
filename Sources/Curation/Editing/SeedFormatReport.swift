internal import Catalog
public import Diagnostics
public import Platform

/// The report of `seed format`: formats the files of a seed folder, or lists those that are not formatted.
public struct SeedFormatReport: Report {
  /// The files that are not in canonical layout.
  public let edits: [FileEdit]
  private let isCheck: Bool

  /// Throws ``CommandFailure`` with the findings when a file cannot be read.
  public init(folder: String, isCheck: Bool) throws(CommandFailure) {
    let seeds = SeedLoader(directory: folder).load()
    let blocking: Set = [SeedRule.invalidJSON, .unreadable, .tooLarge, .outsideTree].map(\.code).reduce(
      into: []) { $0.insert($1) }
    guard !seeds.diagnostics.contains(where: { blocking.contains($0.code) && $0.severity == .error }) else {
      throw CommandFailure(
        "a seed file cannot be read; nothing was written", code: "bad-seeds",
        diagnostics: seeds.diagnostics.filter { blocking.contains($0.code) })
    }
    self.isCheck = isCheck
    let base = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    edits = seeds.files.compactMap { file in
      let canonical = SeedFileFormat.canonical(file)
      return canonical == file.source.bytes
        ? nil : FileEdit("\(base)/\(file.path)", before: file.source.bytes, after: canonical)
    }
  }

  public var status: ExitStatus { isCheck && !edits.isEmpty ? .differences : .done }
  public var isConfirmation: Bool { edits.isEmpty || !isCheck }
  public var json: JSONValue { ["files": .array(edits.map { .string($0.path) }), "check": .bool(isCheck)] }

  public func text(_ style: TerminalStyle) -> PrintableText {
    guard !edits.isEmpty else { return "All seed files are in canonical layout.\n" }
    return edits.map { edit -> PrintableText in
      isCheck ? "\(edit.path) is not in canonical layout\n" : "formatted \(edit.path)\n"
    }
    .joined()
  }
}
