public import CloudKitModel
public import Cryptography
internal import FoundationEssentials

/// Signs requests with a server-to-server key.
public struct RequestSigner: Sendable {
  /// The id that the Console shows for the public half of the key.
  public let keyID: String
  private let key: P256PrivateKey

  public init(keyID: String, key: P256PrivateKey) {
    self.keyID = keyID
    self.key = key
  }

  /// The three headers of a request whose path, from `/database` on, is `subpath`.
  public func headers(
    subpath: String, body: [UInt8], at time: Timestamp,
    emptyBody: RequestSignature.EmptyBodyForm = .hashOfNothing
  ) throws(KeyError) -> [(name: String, value: String)] {
    let date = WireDate.text(time)
    let message = RequestSignature.stringToSign(
      date: date, bodyHash: RequestSignature.bodyHash(of: body, emptyBody: emptyBody), subpath: subpath)
    let signature = Data(try key.signature(for: message)).base64EncodedString()
    return [
      (RequestSignature.keyIDHeader, keyID), (RequestSignature.dateHeader, date),
      (RequestSignature.signatureHeader, signature),
    ]
  }
}

extension RequestSigner {
  /// Whether a strict server that knows the key's public half accepts what this signs.
  public func signsSoundly(at time: Timestamp) -> Bool {
    let path = ServicePath(
      container: "iCloud.self-test", environment: .development, operation: "records/query")
    let body = Array("{}".utf8)
    guard let headers = try? headers(subpath: path.text, body: body, at: time) else { return false }
    let values = Dictionary(headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    let request = SignatureVerifier.Request(
      path: path.text, body: body, keyID: values[RequestSignature.keyIDHeader],
      date: values[RequestSignature.dateHeader], signature: values[RequestSignature.signatureHeader])
    return (try? SignatureVerifier(keys: [keyID: key.publicKey]).verify(request, now: time)) != nil
  }
}
