internal import Cryptography
package import Diagnostics
internal import FoundationEssentials

/// The body of an `assets/upload` request: asks for a URL for each file.
package struct AssetUploadMessage: Sendable, Hashable {
  /// A file to upload: the record and field that will refer to it.
  package struct Token: Sendable, Hashable {
    /// May be absent for a record that is named.
    package let recordType: String?
    package let fieldName: String
    /// Without one the server makes a name for the record to come.
    package let recordName: String?

    package init(json: JSONValue) throws(WireFormatError) {
      recordName = try json.string("recordName")
      recordType = try json.string("recordType")
      if recordName == nil { _ = try json.require("recordType", recordType) }
      fieldName = try json.requiredString("fieldName")
    }
  }

  package let tokens: [Token]
  package let zoneID: ZoneID?

  package init(json: JSONValue) throws(WireFormatError) {
    tokens = try json.requiredList("tokens", Token.init(json:))
    zoneID = try json.zoneID()
  }
}

/// The body of an `assets/rereference` request: names assets that are already stored.
package struct AssetRereferenceMessage: Sendable, Hashable {
  package struct Source: Sendable, Hashable {
    package let recordName: String
    package let fieldName: String

    init(json: JSONValue) throws(WireFormatError) {
      recordName = try json.requiredString("recordName")
      fieldName = try json.requiredString("fieldName")
      _ = try json.string("recordType")
    }
  }

  package let assets: [Source]
  package let zoneID: ZoneID?

  package init(json: JSONValue) throws(WireFormatError) {
    assets = try json.requiredList("assets", Source.init(json:))
    zoneID = try json.zoneID()
  }
}

/// The forms of `fileChecksum`, the checksum of an asset's file
/// (Documentation/reference/web-services.md#asset-checksums).
package enum AssetChecksum: String, Sendable, CaseIterable {
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
