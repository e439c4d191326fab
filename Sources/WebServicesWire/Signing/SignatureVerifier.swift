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
    // A DER signature is longer.
    if signature.count == 64 {
      throw .mismatch("the signature is the two bare numbers (IEEE P1363) instead of ASN.1 DER")
    }
    let mistake = request.mistakes.first { mistake in
      key.isValid(
        signature,
        for: RequestSignature.stringToSign(
          date: date, bodyHash: mistake.bodyHash, subpath: mistake.subpath))
    }
    throw .mismatch(mistake?.explanation)
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

  /// Mistakes in signing a request by hand (Documentation/reference/web-services.md#signature-refusals), with what the sender
  /// then has in the places of the body's hash and the path.
  fileprivate var mistakes: [(explanation: String, bodyHash: String, subpath: String)] {
    let hash = RequestSignature.bodyHash(of: body)
    let hexadecimal = SHA256.hex(body)
    let emptyBody = "the hash of an empty body was signed, but a body was sent"
    return [
      ("the body's hash was signed in hexadecimal instead of base64", hexadecimal, path),
      (
        "the hexadecimal text of the hash was encoded in base64, instead of its 32 bytes",
        Data(hexadecimal.utf8).base64EncodedString(), path
      ),
      (emptyBody, RequestSignature.bodyHash(of: []), path), (emptyBody, "", path),
      ("the signed path leaves out /database/1", hash, String(path.dropFirst("/database/1".count))),
      ("the signed path leaves out the slash in front of 'database'", hash, String(path.dropFirst())),
      (
        "the whole URL was signed instead of the path from /database on", hash,
        "https://api.apple-cloudkit.com" + path
      ),
    ]
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
  case mismatch(String?)
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
    case .mismatch(let mistake?): "the signature does not match: \(mistake)"
    case .mismatch(nil):
      "the signature does not match: another key, or another body, date or path than the one sent, was signed"
    }
  }
}
