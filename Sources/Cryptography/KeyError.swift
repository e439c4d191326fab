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

  /// What to do about it; `nil` when nothing can be done.
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
