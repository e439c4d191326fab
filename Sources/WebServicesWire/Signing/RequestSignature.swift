internal import Cryptography
internal import FoundationEssentials

/// The rules of server-to-server signing that both sides share (Documentation/reference/web-services.md#signing).
public enum RequestSignature {
  public static let keyIDHeader = "X-Apple-CloudKit-Request-KeyID"
  public static let dateHeader = "X-Apple-CloudKit-Request-ISO8601Date"
  public static let signatureHeader = "X-Apple-CloudKit-Request-SignatureV1"

  /// How the body of a request without one is hashed: the sources disagree.
  public enum EmptyBodyForm: Sendable, Hashable, CaseIterable {
    /// The hash of no bytes, as Apple's CloudKit JS does it.
    case hashOfNothing
    /// No text at all, as MistKit reports from the live service.
    case nothing
  }

  /// `DATE:BODYHASH:SUBPATH` in UTF-8.
  public static func stringToSign(date: String, bodyHash: String, subpath: String) -> [UInt8] {
    Array("\(date):\(bodyHash):\(subpath)".utf8)
  }

  /// Standard base64 of the raw SHA-256 of the exact body.
  public static func bodyHash(of body: [UInt8], emptyBody: EmptyBodyForm = .hashOfNothing) -> String {
    if body.isEmpty && emptyBody == .nothing { return "" }
    return Data(SHA256.digest(body)).base64EncodedString()
  }
}
