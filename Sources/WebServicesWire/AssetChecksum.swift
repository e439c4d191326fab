internal import Cryptography
internal import FoundationEssentials

/// The forms of `fileChecksum`, the checksum of an asset's file
/// (Documentation/reference/web-services.md#asset-checksums).
package enum AssetChecksum: Sendable, Hashable, CaseIterable {
  /// A version byte and a SHA-1 digest of a salt and the file: what Apple's service was seen to send.
  case signature
  /// A SHA-256 digest of the file, as one client's notes have it.
  case sha256

  private static let version: UInt8 = 1
  private static let salt = Array("com.apple.XattrObjectSalt\0com.apple.DataObjectSalt\0".utf8)

  package func text(of bytes: [UInt8]) -> String {
    let checksum =
      switch self {
      case .signature: [Self.version] + SHA1.digest(Self.salt + bytes)
      case .sha256: SHA256.digest(bytes)
      }
    return Data(checksum).base64EncodedString()
  }
}
