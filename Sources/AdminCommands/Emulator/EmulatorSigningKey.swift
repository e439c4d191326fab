internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials
internal import Platform

struct EmulatorSigningKey {
  /// The id of the first key, which the ready file names.
  let id: String
  /// By key id.
  let publicKeys: [String: P256PublicKey]
  /// The path of the private key; `nil` if only public keys are known.
  var privateKeyPath: String?
  /// Made for this run, and removed at its end.
  private(set) var isThrowAway = false

  /// The keys the user names, or the one in a file; otherwise a throw-away one beside the ready file, which names it, or
  /// in the system's temporary folder.
  init(_ arguments: EmulatorArguments) throws {
    if let id = arguments.keys.keyID.first {
      self.id = id
      publicKeys = try Dictionary(
        uniqueKeysWithValues: zip(arguments.keys.keyID, arguments.keys.publicKey).map {
          ($0, try Self.publicKey(in: $1))
        })
      return
    }
    let key: P256PrivateKey
    if let path = arguments.keyFile, FileManager.default.fileExists(atPath: path) {
      key = try Self.read(path) { pem throws(KeyError) in try P256PrivateKey(pem: pem) }
      // Clients in other folders find it too.
      privateKeyPath = URL(filePath: path).standardizedFileURL.path
    } else {
      key = try P256PrivateKey.generate()
      isThrowAway = arguments.keyFile == nil
      let path = arguments.keyFile ?? Self.throwAwayPath(beside: arguments.readyFile)
      try PrivateFile.create(path, key.secretPEM())
      privateKeyPath = URL(filePath: path).standardizedFileURL.path
    }
    id = SHA256.hex(try key.publicKey.pem())
    publicKeys = [id: key.publicKey]
  }

  /// Removes the file of a throw-away key.
  func remove() throws {
    if isThrowAway, let path = privateKeyPath { try PrivateFile.removeIfPresent(path) }
  }

  private static func throwAwayPath(beside readyFile: String?) -> String {
    let folder = readyFile.map { URL(filePath: $0).standardizedFileURL.deletingLastPathComponent().path }
    let name = "emulator-key-\(UUID().uuidString.prefix(8)).pem"
    return "\(folder ?? FileManager.default.temporaryDirectory.path)/\(name)"
  }

  private static func publicKey(in path: String) throws -> P256PublicKey {
    do { return try read(path) { pem throws(KeyError) in try P256PublicKey(pem: pem) } } catch {
      let failure = CommandFailure(error)
      throw CommandFailure(
        "--public-key: \(failure.message)", code: failure.code,
        hint: failure.hint
          ?? "Name the PEM file with the public half of the key, as 'auth keygen' prints it.",
        status: failure.status)
    }
  }

  private static func read<Key>(
    _ path: String, _ parse: ([UInt8]) throws(KeyError) -> Key
  ) throws -> Key {
    let pem = try InputFile.read(path)
    do { return try parse(pem) } catch {
      throw CommandFailure("\(path): \(error)", code: "credential", hint: error.hint)
    }
  }
}

/// The file that keeps an emulator's management token from one start to the next. Only its owner may access it.
enum ManagementTokenFile {
  private static let sizeLimit = 1 << 12

  /// The token in the file, which is made with a new token if it does not exist. Of two emulators that start at the same
  /// time, one makes the file and both accept its token.
  ///
  /// Throws ``FileFailure`` for a file that other users can access, and ``CommandFailure`` for one without a token.
  static func token(in path: String) throws -> Secret {
    // The file appears whole and is never replaced.
    if !FileManager.default.fileExists(atPath: path) {
      try PrivateFile.createIfMissing(path, Array("\(UUID().uuidString)\n".utf8))
    }
    let text = String(decoding: try PrivateFile.read(path, upTo: sizeLimit, content: "token"), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    guard lines.count == 1, TokenFormat.isToken(lines[0]) else {
      throw CommandFailure(
        "\(path) does not hold a management token: it must be one word of visible ASCII characters",
        code: "bad-token",
        hint: "Remove the file to have a new token made.")
    }
    return Secret(lines[0])
  }
}
