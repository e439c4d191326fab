internal import CloudKitModel
internal import Foundation  // FileManager; GRDB brings Foundation along anyway
internal import Platform

/// The URI with which SQLite opens a container file for reading.
///
/// SQLite coordinates readers and writers through two files beside the database, `-wal` and `-shm`, and creates
/// them if they are missing. In a folder that is not writable it cannot. If there is no log, no process is writing,
/// and the file can be opened as immutable (SQLite documentation, "URI Filenames").
struct ReadOnlyDatabaseURI {
  let text: String

  init(_ path: String) throws {
    let folder = FileKind.folder(of: path)
    let canShare = ["-wal", "-shm"].allSatisfy { FileManager.default.isReadableFile(atPath: path + $0) }
    let standsAlone = try !canShare && ReadOnlyDatabaseURI.hasNoLog(path)
    let isImmutable = standsAlone && !FileManager.default.isWritableFile(atPath: folder)
    text = isImmutable ? "file:\(ReadOnlyDatabaseURI.escaped(path))?immutable=1" : path
  }

  private static func hasNoLog(_ path: String) throws -> Bool {
    guard try !LocalStore.isMissing(path + "-wal") else { return true }
    let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
    return attributes[.size] as? Int == 0
  }

  /// Percent-encodes `?`, `#` and `%`, which have a meaning in a URI.
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
