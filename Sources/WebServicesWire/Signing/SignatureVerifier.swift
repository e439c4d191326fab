package import CloudKitModel
package import Cryptography
internal import FoundationEssentials

/// Checks the signature of a request as strictly as the service does.
package struct SignatureVerifier: Sendable {
  package struct Request: Sendable {
    /// From `/database` on, without the query.
    package var path: String
    /// After the question mark, if there was one.
    package var query: String?
    package var body: [UInt8]
    package var keyID: String?
    package var date: String?
    package var signature: String?

    package init(
      path: String, query: String? = nil, body: [UInt8] = [], keyID: String?, date: String?,
      signature: String?
    ) {
      self.path = path
      self.query = query
      self.body = body
      self.keyID = keyID
      self.date = date
      self.signature = signature
    }
  }

  private let keys: [String: P256PublicKey]
  private let window: Duration
  private let lead: Duration

  /// - Parameters:
  ///   - keys: the known keys by id.
  ///   - window: how old a request may be; the service's own limit is said to be ten minutes.
  ///   - lead: how far in the future its date may be, which is unknown of the service; `nil` for as far as `window`.
  package init(keys: [String: P256PublicKey], window: Duration = .seconds(600), lead: Duration? = nil) {
    self.keys = keys
    self.window = window
    self.lead = lead ?? window
  }

  /// Returns the id of the key that signed. Throws an error with the reason, which is only for the server's log.
  @discardableResult
  package func verify(_ request: Request, now: Timestamp) throws(SignatureProblem) -> String {
    guard let keyID = request.keyID else { throw .missing(RequestSignature.keyIDHeader) }
    guard let date = request.date else { throw .missing(RequestSignature.dateHeader) }
    guard let signature = request.signature else { throw .missing(RequestSignature.signatureHeader) }
    guard let key = keys[keyID] else { throw .unknownKey(keyID) }
    guard let time = Timestamp(wholeSeconds: date) else { throw .malformedDate(date) }
    let age = Duration.milliseconds(now.milliseconds - time.milliseconds)
    guard (.zero - lead)...window ~= age else { throw .outsideWindow(age: age) }
    guard let bytes = Data(base64Encoded: signature) else { throw .signatureNotBase64 }
    try Self.verify(Array(bytes), of: request, date: date, with: key)
    return keyID
  }

  private static func verify(
    _ signature: [UInt8], of request: Request, date: String, with key: P256PublicKey
  ) throws(SignatureProblem) {
    for subpath in request.acceptedSubpaths {
      for bodyHash in request.acceptedBodyHashes {
        let message = RequestSignature.stringToSign(date: date, bodyHash: bodyHash, subpath: subpath)
        if key.isValid(signature, for: message) { return }
      }
    }
    throw .mismatch(SignatureMistake.explaining(signature, of: request, date: date, with: key))
  }
}

extension SignatureVerifier.Request {
  /// The query is signed by some clients and not by others.
  fileprivate var acceptedSubpaths: [String] {
    guard let query, !query.isEmpty else { return [path] }
    return [path, "\(path)?\(query)"]
  }

  /// The sources disagree about an empty body: Apple's CloudKit JS signs the hash of no bytes, and MistKit reports from the
  /// live service that no text stands in its place.
  fileprivate var acceptedBodyHashes: [String] {
    [RequestSignature.bodyHash(of: body)] + (body.isEmpty ? [""] : [])
  }
}

package enum SignatureProblem: Error, Sendable, Hashable {
  case missing(String)
  case unknownKey(String)
  case malformedDate(String)
  /// Positive for a date in the past.
  case outsideWindow(age: Duration)
  case signatureNotBase64
  /// The bytes do not verify; the mistake is named when it is one of the known ones.
  case mismatch(SignatureMistake?)
}

extension SignatureProblem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .missing(let header): "the header \(header) is missing"
    case .unknownKey(let id): "no key has the id '\(id)' here"
    case .malformedDate(let date): "the date '\(date)' is not UTC in whole seconds, like 2016-01-25T22:15:43Z"
    case .outsideWindow(let age) where age < .zero:
      "the date is \(-age.components.seconds) s in the future: the sender's clock is fast"
    case .outsideWindow(let age): "the date is \(age.components.seconds) s old: the request expired"
    case .signatureNotBase64: "the signature is not standard base64"
    case .mismatch(let mistake?): "the signature does not match: \(mistake.explanation)"
    case .mismatch(nil):
      "the signature does not match: another key, or another body, date or path than the one sent, was signed"
    }
  }
}

/// A mistake in signing a request by hand. Each is recognized by trying it
/// (Documentation/reference/web-services.md#signature-refusals).
package enum SignatureMistake: String, Sendable, Hashable, CaseIterable {
  case hexBodyHash
  case base64OfHexBodyHash
  case bodyNotHashed
  case pathWithoutRoot
  case pathWithoutLeadingSlash
  case wholeURL
  case rawSignature

  package var explanation: String {
    switch self {
    case .hexBodyHash: "the body's hash was signed in hexadecimal instead of base64"
    case .base64OfHexBodyHash:
      "the hexadecimal text of the hash was encoded in base64, instead of its 32 bytes"
    case .bodyNotHashed: "the hash of an empty body was signed, but a body was sent"
    case .pathWithoutRoot: "the signed path leaves out /database/1"
    case .pathWithoutLeadingSlash: "the signed path leaves out the slash in front of 'database'"
    case .wholeURL: "the whole URL was signed instead of the path from /database on"
    case .rawSignature: "the signature is the two bare numbers (IEEE P1363) instead of ASN.1 DER"
    }
  }

  /// The first mistake that, if made, gives this very signature.
  static func explaining(
    _ signature: [UInt8], of request: SignatureVerifier.Request, date: String, with key: P256PublicKey
  ) -> SignatureMistake? {
    allCases.first { mistake in
      mistake.variants(of: request).contains { bodyHash, subpath in
        let message = RequestSignature.stringToSign(date: date, bodyHash: bodyHash, subpath: subpath)
        return key.isValid(mistake == .rawSignature ? derEncoded(signature) : signature, for: message)
      }
    }
  }

  /// What the sender would have put in the places of the body's hash and the path.
  private func variants(of request: SignatureVerifier.Request) -> [(bodyHash: String, subpath: String)] {
    let digest = SHA256.digest(request.body)
    let right = Data(digest).base64EncodedString()
    let path = request.path
    switch self {
    case .hexBodyHash: return [(digest.hexadecimal, path)]
    case .base64OfHexBodyHash: return [(Data(digest.hexadecimal.utf8).base64EncodedString(), path)]
    case .bodyNotHashed: return [(RequestSignature.bodyHash(of: []), path), ("", path)]
    case .pathWithoutRoot: return path.hasPrefix("/database/1") ? [(right, String(path.dropFirst(11)))] : []
    case .pathWithoutLeadingSlash: return [(right, String(path.dropFirst()))]
    case .wholeURL: return [(right, "https://api.apple-cloudkit.com" + path)]
    case .rawSignature: return [(right, path)]
    }
  }

  /// Two 32-byte numbers as the ASN.1 SEQUENCE that ECDSA verification expects; anything else as it is.
  private static func derEncoded(_ signature: [UInt8]) -> [UInt8] {
    guard signature.count == 64 else { return signature }
    let numbers = [signature[..<32], signature[32...]].flatMap { half -> [UInt8] in
      var digits = Array(half.drop { $0 == 0 })
      if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
      return [0x02, UInt8(digits.count)] + digits
    }
    return [0x30, UInt8(numbers.count)] + numbers
  }
}
