internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials
internal import Platform

/// The key that signs requests to one emulator.
struct EmulatorKey {
  let id: String
  let publicKey: P256PublicKey
  /// The path of the private key; `nil` if only the public key is known.
  var privateKeyPath: String?
  /// Made for this run, and removed at its end.
  private(set) var isThrowAway = false

  /// The key the user names or keeps in a file, or a throw-away one written to `folder`.
  init(_ arguments: EmulatorArguments, folder: () throws -> String) throws {
    if let id = arguments.keyID, let path = arguments.publicKey {
      self.id = id
      do {
        publicKey = try P256PublicKey(pem: InputFile.read(path))
      } catch let error as KeyError {
        throw CommandFailure("\(path): \(error)", code: "credential", hint: error.hint)
      }
      return
    }
    if let path = arguments.keyFile {
      let key = try Self.kept(path)
      publicKey = key.publicKey
      id = SHA256.hex(try key.publicKey.pem())
      // Clients in other folders find it too.
      privateKeyPath = URL(filePath: path).standardizedFileURL.path
      return
    }
    let key = try P256PrivateKey.generate()
    let path = "\(try folder())/emulator-key-\(UUID().uuidString.prefix(8)).pem"
    try PrivateFile.create(path, key.secretPEM())
    publicKey = key.publicKey
    id = SHA256.hex(try key.publicKey.pem())
    privateKeyPath = path
    isThrowAway = true
  }

  /// The key in the file. Creates the file with a new key if it is missing.
  private static func kept(_ path: String) throws -> P256PrivateKey {
    guard FileManager.default.fileExists(atPath: path) else {
      let key = try P256PrivateKey.generate()
      try PrivateFile.create(path, key.secretPEM())
      return key
    }
    do {
      return try P256PrivateKey(pem: InputFile.read(path))
    } catch let error as KeyError {
      throw CommandFailure("\(path): \(error)", code: "credential", hint: error.hint)
    }
  }
}
