package import CloudKitModel
package import Cryptography
internal import FoundationEssentials

package struct RequestSigner: Sendable {
  /// The id that the Console shows for the public half of the key.
  package let keyID: String
  private let key: P256PrivateKey

  package init(keyID: String, key: P256PrivateKey) {
    self.keyID = keyID
    self.key = key
  }

  /// The three headers of a request whose path, from `/database` on, is `subpath`.
  package func headers(
    subpath: String, body: [UInt8], at time: Timestamp
  ) throws(KeyError) -> [(name: String, value: String)] {
    let date = time.wholeSeconds
    let message = RequestSignature.stringToSign(
      date: date, bodyHash: RequestSignature.bodyHash(of: body), subpath: subpath)
    let signature = Data(try key.signature(for: message)).base64EncodedString()
    return [
      (RequestSignature.keyIDHeader, keyID), (RequestSignature.dateHeader, date),
      (RequestSignature.signatureHeader, signature),
    ]
  }

  /// Whether a strict server that knows the key's public half accepts what this signs.
  package func signsSoundly(at time: Timestamp) -> Bool {
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

/// The rules of server-to-server signing that both sides share (Documentation/reference/web-services.md#signing).
package enum RequestSignature {
  package static let keyIDHeader = "X-Apple-CloudKit-Request-KeyID"
  package static let dateHeader = "X-Apple-CloudKit-Request-ISO8601Date"
  package static let signatureHeader = "X-Apple-CloudKit-Request-SignatureV1"

  /// `DATE:BODYHASH:SUBPATH` in UTF-8.
  package static func stringToSign(date: String, bodyHash: String, subpath: String) -> [UInt8] {
    Array("\(date):\(bodyHash):\(subpath)".utf8)
  }

  /// Standard base64 of the raw SHA-256 of the exact body.
  package static func bodyHash(of body: [UInt8]) -> String {
    Data(SHA256.digest(body)).base64EncodedString()
  }
}
