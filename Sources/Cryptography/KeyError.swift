/// Why some bytes are not the key that was wanted. No case carries key material.
public enum KeyError: Error, Sendable, Hashable {
  /// No `-----BEGIN …-----` line.
  case notPEM
  /// The frame is there, its content is not a key: cut off, altered, or the two halves do not belong together.
  case damaged
  /// Protected by a pass phrase; the tool never asks for one.
  case encrypted
  /// A public key where the private one is needed.
  case publicKeyGiven
  /// A private key where the public one is needed.
  case privateKeyGiven
  /// Another kind of key or PEM block, by its name: `RSA`, `CERTIFICATE`.
  case wrongKind(String)
  /// An elliptic curve other than P-256, by OpenSSL's name for it.
  case wrongCurve(String)
  /// OpenSSL could not make or use a key.
  case failed(String)
}

extension KeyError: CustomStringConvertible {
  /// One sentence in plain words.
  public var description: String {
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

  /// What to do about it, where something can be done.
  public var hint: String? {
    switch self {
    case .encrypted: "Remove the pass phrase: openssl ec -in KEY.pem -out PLAIN.pem"
    case .publicKeyGiven: "Use the file that 'auth keygen' or 'openssl ecparam -genkey' wrote."
    case .privateKeyGiven: "Print the public part: openssl ec -in KEY.pem -pubout"
    case .wrongCurve, .wrongKind:
      "Make a new key with 'auth keygen' and paste its public part in the Console."
    case .notPEM, .damaged: "Check that the whole text was copied, first and last line included."
    case .failed: nil
    }
  }
}
