internal import COpenSSL
internal import OpenSSLShim

/// A P-256 private key, which signs server-to-server requests to CloudKit
/// (Documentation/reference/web-services.md#signing).
///
/// Its description, its reflection and its errors never contain key material.
package struct P256PrivateKey: Sendable {
  private let handle: KeyHandle

  /// Reads an unencrypted PEM text: SEC1 (`BEGIN EC PRIVATE KEY`) or PKCS#8 (`BEGIN PRIVATE KEY`).
  package init(pem bytes: [UInt8]) throws(KeyError) {
    defer { ERR_clear_error() }
    let text = try PEMBlock(bytes)
    if text.isEncrypted { throw .encrypted }
    switch text.label {
    case "PRIVATE KEY", "EC PRIVATE KEY": break
    case "PUBLIC KEY", "EC PUBLIC KEY": throw .publicKeyGiven
    case let label: throw .wrongKind("a PEM block named '\(label)'")
    }
    let key = withInput(text.bytes) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in 0 }, nil) }
    guard let key else { throw .damaged }
    handle = try KeyHandle(key)
    let context = EVP_PKEY_CTX_new_from_pkey(nil, handle.pointer, nil)
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_check(context) == 1 else { throw .damaged }
  }

  package static func generate() throws(KeyError) -> P256PrivateKey {
    defer { ERR_clear_error() }
    guard let key = OpenSSLShim_generateECKey("P-256") else { throw .failed("make a key") }
    return P256PrivateKey(handle: try KeyHandle(key))
  }

  private init(handle: KeyHandle) { self.handle = handle }

  package var publicKey: P256PublicKey { P256PublicKey(handle: handle) }

  /// The private key as SEC1 PEM. Only for writing it to a file that only its owner can read.
  package func secretPEM() throws(KeyError) -> [UInt8] {
    defer { ERR_clear_error() }
    let key = handle.pointer
    let bytes = output { PEM_write_bio_PrivateKey_traditional($0, key, nil, nil, 0, nil, nil) == 1 }
    guard let bytes else { throw .failed("write the key") }
    return bytes
  }

  /// An ECDSA signature over the SHA-256 of `message`, in ASN.1 DER. Each call returns a different one.
  package func signature(for message: [UInt8]) throws(KeyError) -> [UInt8] {
    defer { ERR_clear_error() }
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    // The longest signature: two integers of up to 33 bytes, and their headers.
    var count = 72
    var signature = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle.pointer) == 1,
      EVP_DigestSign(context, &signature, &count, message, message.count) == 1
    else { throw .failed("sign") }
    return Array(signature.prefix(count))
  }
}

extension P256PrivateKey: CustomStringConvertible, CustomReflectable {
  package var description: String { "P-256 private key [redacted]" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A P-256 public key, for pasting into the CloudKit Console and for verifying signatures.
package struct P256PublicKey: Sendable {
  private let handle: KeyHandle

  /// Reads a SubjectPublicKeyInfo PEM text (`BEGIN PUBLIC KEY`).
  package init(pem bytes: [UInt8]) throws(KeyError) {
    defer { ERR_clear_error() }
    let text = try PEMBlock(bytes)
    switch text.label {
    case "PUBLIC KEY": break
    case "PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY": throw .privateKeyGiven
    case let label: throw .wrongKind("a PEM block named '\(label)'")
    }
    let key = withInput(text.bytes) { PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in 0 }, nil) }
    guard let key else { throw .damaged }
    handle = try KeyHandle(key)
  }

  fileprivate init(handle: KeyHandle) { self.handle = handle }

  package func pem() throws(KeyError) -> String {
    defer { ERR_clear_error() }
    let key = handle.pointer
    guard let bytes = output({ PEM_write_bio_PUBKEY($0, key) == 1 }) else {
      throw .failed("write the public key")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// True when `signature` (ASN.1 DER) was made with this key over the SHA-256 of `message`. Any bytes are allowed.
  package func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
    defer { ERR_clear_error() }
    let context = EVP_MD_CTX_new()
    defer { EVP_MD_CTX_free(context) }
    return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, handle.pointer) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}

/// Owns an OpenSSL key on P-256. Unchecked Sendable: the key never changes after `init`, and OpenSSL 3 lets any number
/// of threads sign and verify with one unchanging EVP_PKEY (openssl-threads(7)).
private final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes ownership of `key`, even when it throws.
  init(_ key: OpaquePointer) throws(KeyError) {
    pointer = key
    guard EVP_PKEY_is_a(key, "EC") == 1 else {
      let kind = EVP_PKEY_get0_type_name(key).map { String(cString: $0) }
      throw .wrongKind("a key of the type \(kind ?? "unknown")")
    }
    var name = [CChar](repeating: 0, count: 64)
    var length = 0
    let isNamed = EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
    let curve = String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard isNamed, curve == "prime256v1" else { throw .wrongCurve(isNamed ? curve : "unknown") }
  }

  deinit { EVP_PKEY_free(pointer) }
}

/// The error for bytes that are not the expected key. No case contains key material.
package enum KeyError: Error, Sendable, Hashable {
  case notPEM
  /// The PEM frame is complete, but its content is not a valid key: cut off, altered, or of halves that do not match.
  case damaged
  /// Encrypted with a pass phrase; the tool never asks for one.
  case encrypted
  case publicKeyGiven
  case privateKeyGiven
  /// Another kind of key or PEM block, described for a message.
  case wrongKind(String)
  /// An elliptic curve other than P-256, by OpenSSL's name.
  case wrongCurve(String)
  /// OpenSSL could not make or use a key.
  case failed(String)
}

extension KeyError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notPEM: "the key is not PEM text: there is no '-----BEGIN' line"
    case .damaged: "the key is damaged: its PEM text does not decode to a complete key"
    case .encrypted: "the key is encrypted with a pass phrase"
    case .publicKeyGiven: "this is a public key, but the private key is needed"
    case .privateKeyGiven: "this is a private key, but the public key is needed"
    case .wrongKind(let kind): "this is \(kind), not an elliptic-curve key"
    case .wrongCurve(let curve): "the key is on the curve \(curve), but CloudKit needs P-256 (prime256v1)"
    case .failed(let what): "OpenSSL could not \(what)"
    }
  }

  package var hint: String? {
    switch self {
    case .encrypted: "Remove the pass phrase: openssl ec -in KEY.pem -out PLAIN.pem"
    case .publicKeyGiven: "Use the file that 'auth keygen' or 'openssl ecparam -genkey' wrote."
    case .privateKeyGiven: "Print the public part: openssl ec -in KEY.pem -pubout"
    case .wrongCurve, .wrongKind:
      "Make a new key with 'auth keygen' and paste its public part in the Console."
    case .notPEM, .damaged: "Check that the whole text was copied, including the first and last line."
    case .failed: nil
    }
  }
}
