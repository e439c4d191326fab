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

  /// The user's public key, or a temporary key pair in `folder`.
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
    let key = try P256PrivateKey.generate()
    let path = "\(try folder())/emulator-key-\(UUID().uuidString.prefix(8)).pem"
    try PrivateFile.create(path, key.secretPEM())
    publicKey = key.publicKey
    id = SHA256.hex(try key.publicKey.pem())
    privateKeyPath = path
  }
}
