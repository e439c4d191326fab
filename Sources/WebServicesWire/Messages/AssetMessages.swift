package import Diagnostics

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
