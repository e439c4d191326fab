// FoundationEssentials has the atomic write and the file manager, and nothing heavier.
public import Diagnostics
internal import FoundationEssentials

/// The file that keeps the state of a scan, so that a later run, on any machine, can continue it.
public struct ScanCheckpointFile: Sendable, Hashable {
  public let path: String

  public init(path: String) { self.path = path }

  /// The file of one aggregate, when several share this path.
  public func file(for name: String) -> ScanCheckpointFile { ScanCheckpointFile(path: "\(path).\(name)") }

  /// The error for a checkpoint that cannot be used.
  public struct Unusable: Error, Sendable, Hashable, CustomStringConvertible {
    public let path: String
    public let reason: String
    /// What to do, when the reason does not show it.
    public var hint: String?
    public var description: String { "the checkpoint \(path) \(reason)" }
  }

  /// The scan in the file; `nil` when there is no file. Throws ``Unusable``.
  func load() throws -> ScanCheckpoint? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let bytes: Data
    do {
      bytes = try Data(contentsOf: URL(filePath: path))
    } catch {
      throw Unusable(path: path, reason: "cannot be read: \(error.cause)")
    }
    let json = try? JSONValue(parsing: bytes)
    if let checkpoint = json.flatMap(ScanCheckpoint.init(json:)) { return checkpoint }
    if json?["fingerprint"] != nil, json?["version"]?.integer != ScanCheckpoint.version {
      throw Unusable(
        path: path, reason: "was written by another version of this tool",
        hint: "Delete it to count from the start.")
    }
    throw Unusable(
      path: path, reason: "is damaged, or is not a checkpoint",
      hint: "Name another file, or delete this one if it is a checkpoint, to count from the start.")
  }

  /// Replaces the file in one step: a kill leaves the old one or the new one.
  func save(_ checkpoint: ScanCheckpoint) throws {
    do {
      try Data(checkpoint.json.bytes()).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw Unusable(path: path, reason: "cannot be written: \(error.cause)")
    }
  }

  func remove() throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw Unusable(path: path, reason: "cannot be removed: \(error.cause)")
    }
  }
}

extension Error {
  /// A short reason for the message.
  fileprivate var cause: String {
    switch (self as? CocoaError)?.code {
    case .fileNoSuchFile?, .fileReadNoSuchFile?: "the folder does not exist"
    case .fileReadNoPermission?, .fileWriteNoPermission?: "permission denied"
    case .fileWriteOutOfSpace?: "the disk is full"
    default: "it is not a file, or the system refuses it"
    }
  }
}

extension ScanCheckpointFile.Unusable: CommandFailureConvertible {
  public var failure: CommandFailure { CommandFailure(description, code: "bad-checkpoint", hint: hint) }
}
