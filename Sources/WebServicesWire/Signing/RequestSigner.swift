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
