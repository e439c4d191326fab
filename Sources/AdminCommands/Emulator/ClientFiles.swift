internal import CommandLine
internal import Diagnostics
internal import FoundationEssentials
internal import HTTPTransport
internal import Platform

/// The files from which clients learn how to reach an emulator or a console. They exist only while it listens.
struct ClientFiles: Sendable {
  private let readyFile: String?
  private let envFile: String?
  private static let sizeLimit = 1 << 16
  private static let firstLine = "# Written by celestra-admin emulator serve; removed when it ends."
  private static let secondLine = "# In the environment, an empty value hides that secret of files."

  /// The values in the environment file that a killed server left.
  private(set) var leftValues: Set<Substring> = []
  /// The bytes of the files that this server wrote, by path.
  private var written: [String: [UInt8]] = [:]

  init(readyFile: String?, envFile: String? = nil) {
    self.readyFile = readyFile
    self.envFile = envFile
  }

  /// Removes what a killed server left: a client must not take its address for this one's.
  ///
  /// Throws ``CommandFailure`` for anything in their place that no server of this tool wrote, unless it is an empty file,
  /// and for the files of a server that still listens.
  mutating func prepare() async throws {
    for (path, option, address) in [
      (readyFile, "--ready-file", Self.addressInDocument), (envFile, "--env-file", Self.addressInVariables),
    ] {
      guard let path, FileManager.default.fileExists(atPath: path) else { continue }
      let bytes = try RegularFile.read(path, upTo: Self.sizeLimit)
      guard !bytes.isEmpty else { continue }
      guard let url = address(bytes) else {
        throw CommandFailure(
          "\(path) already exists and was not written by this command; it was not replaced",
          code: "foreign-file", hint: "Give \(option) another name, or remove the file.")
      }
      // Only the origin is shown: the path of a console is a secret.
      if let server = URLParts(url), try await Self.answers(server) {
        throw CommandFailure(
          "\(path) is the file of a server that still listens at \(server.origin)", code: "file-in-use",
          hint: "Give \(option) another name, or end that server.")
      }
      guard path == envFile else { continue }
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      leftValues = Set(lines.compactMap { $0.split(separator: "=", maxSplits: 1).last })
    }
    for path in [readyFile, envFile].compactMap(\.self) { try PrivateFile.removeIfPresent(path) }
  }

  /// Writes both files, or neither; the ready file last, for which scripts wait.
  mutating func write(ready: JSONValue, variables: [String: String] = [:]) throws {
    // For a shell and for `.env` alike.
    let lines = variables.sorted { $0.key < $1.key }.map { name, value in
      "\(name)=\(value.isEmpty ? "" : value.shellWord)\n"
    }
    do {
      for (path, bytes) in [
        (envFile, Array("\(Self.firstLine)\n\(Self.secondLine)\n\(lines.joined())".utf8)),
        (readyFile, ready.bytes(.pretty)),
      ] {
        guard let path else { continue }
        try PrivateFile.replace(path, bytes)
        written[path] = bytes
      }
    } catch {
      try remove()
      throw error
    }
  }

  /// Removes what this server wrote, and leaves a file that has been replaced since.
  func remove() throws {
    for (path, bytes) in written where (try? RegularFile.read(path, upTo: Self.sizeLimit)) == bytes {
      try PrivateFile.removeIfPresent(path)
    }
  }

  private static func addressInDocument(_ bytes: [UInt8]) -> String? {
    let document = try? JSONValue(parsing: bytes)
    return (document?["url"] ?? document?["consoleURL"])?.string
  }

  private static func addressInVariables(_ bytes: [UInt8]) -> String? {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let start = "\(SettingKey.baseURL.variable)="
    guard lines.first == firstLine[...] else { return nil }
    return lines.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
  }

  private static func answers(_ server: URLParts) async throws -> Bool {
    guard server.isLoopback else { return false }
    let limits = HTTPLimits(connectTimeout: .seconds(2), totalTimeout: .seconds(5))
    do {
      _ = try await CurlTransport().send(HTTPRequest(url: server.text, limits: limits))
      return true
    } catch {
      return !error.isConnectionFailure
    }
  }
}
