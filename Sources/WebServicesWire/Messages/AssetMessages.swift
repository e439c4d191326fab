package import CloudKitModel
package import Diagnostics

/// The body of an `assets/upload` request: asks for a URL for each file.
package struct AssetUploadMessage: WireMessage, Hashable {
  /// A file to upload: the record and field that will refer to it.
  package struct Token: WireMessage, Hashable {
    /// May be absent for a record that is named.
    package var recordType: String?
    package var fieldName: String
    /// Without one the server makes a name for the record to come.
    package var recordName: String?

    package init(recordType: String?, fieldName: String, recordName: String? = nil) {
      self.recordType = recordType
      self.fieldName = fieldName
      self.recordName = recordName
    }

    package init(json: JSONValue) throws(WireFormatError) {
      let recordName = try json.string("recordName")
      let recordType = try json.string("recordType")
      if recordName == nil { _ = try json.require("recordType", recordType) }
      self.init(
        recordType: recordType, fieldName: try json.requiredString("fieldName"), recordName: recordName)
    }

    package var json: JSONValue {
      var object: JSONObject = ["fieldName": .string(fieldName)]
      object.set("recordType", recordType)
      object.set("recordName", recordName)
      return .object(object)
    }
  }

  package var tokens: [Token]
  package var zoneID: ZoneID?

  package init(_ tokens: [Token]) { self.tokens = tokens }

  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let tokens = try json.list("tokens") { json throws(WireFormatError) in try Token(json: json) }
    self.tokens = try json.require("tokens", tokens)
    zoneID = try json.zoneID()
  }

  package var json: JSONValue {
    var object: JSONObject = ["tokens": .array(tokens.map(\.json))]
    object["zoneID"] = zoneID?.json
    return .object(object)
  }
}

/// The body of an `assets/upload` reply.
package struct AssetUploadReply: WireMessage, Hashable {
  /// The upload URL for one file.
  package struct Token: WireMessage, Hashable {
    package var recordName: String
    package var fieldName: String
    /// Where the bytes are to be sent with POST.
    package var url: String

    package init(recordName: String, fieldName: String, url: String) {
      self.recordName = recordName
      self.fieldName = fieldName
      self.url = url
    }

    package init(json: JSONValue) throws(WireFormatError) {
      self.init(
        recordName: try json.requiredString("recordName"), fieldName: try json.requiredString("fieldName"),
        url: try json.requiredString("url"))
    }

    package var json: JSONValue {
      ["recordName": .string(recordName), "fieldName": .string(fieldName), "url": .string(url)]
    }
  }

  package var tokens: [Token]

  package init(_ tokens: [Token]) { self.tokens = tokens }

  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let tokens = try json.list("tokens") { json throws(WireFormatError) in try Token(json: json) }
    self.tokens = try json.require("tokens", tokens)
  }

  package var json: JSONValue { ["tokens": .array(tokens.map(\.json))] }
}

/// The reply of an upload URL: the value to write into the asset field
/// (Documentation/reference/web-services.md#assets).
package struct AssetUploadReceipt: WireMessage, Hashable {
  package var asset: Asset

  package init(_ asset: Asset) { self.asset = asset }

  package init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let file = try json.require("singleFile", json["singleFile"])
    guard case .asset(let asset)? = try? FieldValue.reading(file, as: .scalar(.asset)) else {
      throw WireFormatError("expected an asset dictionary").inside("singleFile")
    }
    self.asset = asset
  }

  package var json: JSONValue { ["singleFile": asset.json] }
}

/// The body of an `assets/rereference` request: names assets that are already stored.
package struct AssetRereferenceMessage: Sendable, Hashable {
  /// A stored asset: its record and field.
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
    try json.requireObject()
    let assets = try json.list("assets") { json throws(WireFormatError) in try Source(json: json) }
    self.assets = try json.require("assets", assets)
    zoneID = try json.zoneID()
  }
}
