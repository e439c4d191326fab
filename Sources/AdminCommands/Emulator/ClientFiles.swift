internal import Diagnostics
internal import FoundationEssentials
internal import HTTPTransport
internal import Platform

/// The files from which clients learn how to reach an emulator or a console. They exist only while it listens.
struct ClientFiles: Sendable {
  let readyFile: String?
  var envFile: String?
  private static let sizeLimit = 1 << 16
  private static let firstLine = "# Written by celestra-admin emulator serve; removed when it ends."

  /// Removes what a killed server left: a client must not take its address for this one's. A ready file whose server
  /// answers is left alone.
  ///
  /// Throws ``CommandFailure`` for an environment file that this command did not write.
  func prepare() async throws {
    if let envFile, FileManager.default.fileExists(atPath: envFile) {
      let text = String(decoding: try RegularFile.read(envFile, upTo: Self.sizeLimit), as: UTF8.self)
      guard text.hasPrefix(Self.firstLine) else {
        throw CommandFailure(
          "\(envFile) already exists and was not written by this command; it was not replaced",
          code: "foreign-file",
          hint: "Give --env-file another name, or remove the file.")
      }
    }
    guard let readyFile, FileManager.default.fileExists(atPath: readyFile) else { return }
    let document = try? JSONValue(parsing: RegularFile.read(readyFile, upTo: Self.sizeLimit))
    // Any other file is replaced when this server listens, as an output file is.
    guard let url = (document?["url"] ?? document?["consoleURL"])?.string, try await !Self.answers(url) else {
      return
    }
    try Self.remove(readyFile)
    if let envFile { try Self.remove(envFile) }
  }

  func write(ready: JSONValue, variables: [String: String] = [:]) throws {
    if let readyFile { try PrivateFile.replace(readyFile, ready.bytes(.pretty)) }
    guard let envFile else { return }
    let lines = variables.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.quoted($0.value))\n" }
    try PrivateFile.replace(envFile, Array("\(Self.firstLine)\n\(lines.joined())".utf8))
  }

  func remove() throws {
    for path in [readyFile, envFile].compactMap(\.self) { try Self.remove(path) }
  }

  /// For a shell and for `.env` alike: in single quotes nothing has a meaning but their end.
  private static func quoted(_ value: String) -> String {
    value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:".contains($0)) }
      ? value : "'\(value.replacing("'", with: "'\\''"))'"
  }

  private static func answers(_ url: String) async throws -> Bool {
    guard let address = URLParts(url), address.isLoopback else { return false }
    let limits = HTTPLimits(connectTimeout: .seconds(2), totalTimeout: .seconds(5))
    do {
      _ = try await CurlTransport().send(HTTPRequest(url: url, limits: limits))
      return true
    } catch {
      return !error.isConnectionFailure
    }
  }

  private static func remove(_ path: String) throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    try FileManager.default.removeItem(atPath: path)
  }
}
