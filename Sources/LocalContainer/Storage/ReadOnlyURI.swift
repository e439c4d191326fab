internal import CloudKitModel
internal import Foundation  // FileManager; GRDB brings Foundation along anyway
internal import Platform

/// What SQLite is given to open for reading a container file.
///
/// Readers and writers agree through two files beside it, `-wal` and `-shm`, which a reader makes where they are
/// missing. In a folder that may not be written to it cannot, and must not need to: when there is no log to be read,
/// nobody is writing, and the file alone is the whole container (SQLite's `immutable`, "URI Filenames").
struct ReadOnlyURI {
  let text: String

  init(_ path: String) throws {
    let folder = PathStatus.folder(of: path)
    let canShare = ["-wal", "-shm"].allSatisfy { FileManager.default.isReadableFile(atPath: path + $0) }
    let standsAlone = try !canShare && ReadOnlyURI.hasNoLog(path)
    let isImmutable = standsAlone && !FileManager.default.isWritableFile(atPath: folder)
    text = isImmutable ? "file:\(ReadOnlyURI.escaped(path))?immutable=1" : path
  }

  private static func hasNoLog(_ path: String) throws -> Bool {
    guard try !LocalStore.isMissing(path + "-wal") else { return true }
    let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
    return attributes[.size] as? Int == 0
  }

  /// As in a URI: a `?` or `#` would end the path, and a `%` begin an escape.
  static func escaped(_ path: String) -> String {
    path.unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "%": escaped += "%25"
      case "?": escaped += "%3f"
      case "#": escaped += "%23"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }
}
