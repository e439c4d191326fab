internal import CloudKitClient
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import Platform
internal import WebServicesWire

extension CommandContext {
  /// The configured server-to-server key. Throws ``CommandFailure`` if it is missing or invalid.
  func signer() throws -> RequestSigner {
    guard let keyID = try settings[.cloudKitKeyID] else {
      throw CommandFailure(
        "no key id is configured", code: "credential",
        hint: "Set CLOUDKIT_KEY_ID, which the CloudKit Console shows beside the key.", status: .denied)
    }
    return RequestSigner(keyID: keyID, key: try privateKey())
  }

  func privateKey() throws -> P256PrivateKey {
    do {
      return try P256PrivateKey(pem: try keyText())
    } catch let error as KeyError {
      throw CommandFailure(error.description, code: "credential", hint: error.hint, status: .denied)
    }
  }

  private func keyText() throws -> [UInt8] {
    guard let setting = try settings.lookup(.cloudKitKey, .cloudKitKeyPath) else {
      throw CommandFailure(
        "no private key is configured", code: "credential",
        hint: "Set CLOUDKIT_PRIVATE_KEY_PATH; 'auth keygen' makes a key.", status: .denied)
    }
    guard setting.key == .cloudKitKeyPath else {
      return Array(setting.value.replacing("\\n", with: "\n").utf8)
    }
    let path = setting.value
    guard setting.shown == path else {
      throw setting.refused(mustBe: "a file's path", hint: "A key's text belongs in CLOUDKIT_PRIVATE_KEY.")
    }
    if path != "-", let warning = SecretFileCheck.warning(path: path, content: "key") {
      warn(warning)
    }
    return try InputFile.read(path)
  }

  /// The key or the API token, whichever is configured at the origin with higher precedence.
  func authentication() throws -> (ClientSettings.Authentication, [Credential]) {
    guard try settings.lookup(.cloudKitKeyID, .cloudKitAPIToken)?.key == .cloudKitAPIToken,
      let token = try token(.cloudKitAPIToken)
    else { return (.serverKey(try signer()), [.signature]) }
    let user = try self.token(.cloudKitWebAuthToken)
    return (
      .apiToken(Secret(token.value), webAuthToken: user.map { Secret($0.value) }),
      [token, user].compactMap(\.self).map(Credential.token)
    )
  }

  /// The management token from the settings, or the saved one; `nil` if there is neither.
  var managementCredential: Credential? {
    get throws {
      if let token = try token(.managementToken) { return .token(token) }
      let store = TokenStore(process)
      guard let saved = try store.load(.management) else { return nil }
      if let warning = SecretFileCheck.warning(path: try store.path(.management), content: "token") {
        warn(warning)
      }
      return .saved(saved)
    }
  }
}
