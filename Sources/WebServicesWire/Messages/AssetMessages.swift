public import CloudKitModel
public import Diagnostics

/// The body of an `assets/upload` request: asks for a URL for each file.
public struct AssetUploadMessage: WireMessage, Hashable {
  /// A file to upload: the record and field that will refer to it.
  public struct Token: WireMessage, Hashable {
    /// May be absent for a record that is named.
    public var recordType: String?
    public var fieldName: String
    /// Without one the server makes a name for the record to come.
    public var recordName: String?

    public init(recordType: String?, fieldName: String, recordName: String? = nil) {
      self.recordType = recordType
      self.fieldName = fieldName
      self.recordName = recordName
    }

    public init(json: JSONValue) throws(WireFormatError) {
      let recordName = try json.string("recordName")
      let recordType = try json.string("recordType")
      if recordName == nil { _ = try json.require("recordType", recordType) }
      self.init(
        recordType: recordType, fieldName: try json.requiredString("fieldName"), recordName: recordName)
    }

    public var json: JSONValue {
      var object: JSONObject = ["fieldName": .string(fieldName)]
      object.set("recordType", recordType)
      object.set("recordName", recordName)
      return .object(object)
    }
  }

  public var tokens: [Token]
  public var zoneID: ZoneID?

  public init(_ tokens: [Token]) { self.tokens = tokens }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let tokens = try json.list("tokens") { json throws(WireFormatError) in try Token(json: json) }
    self.tokens = try json.require("tokens", tokens)
    zoneID = try json.zoneID()
  }

  public var json: JSONValue {
    var object: JSONObject = ["tokens": .array(tokens.map(\.json))]
    object["zoneID"] = zoneID?.json
    return .object(object)
  }
}

/// The body of an `assets/upload` reply.
public struct AssetUploadReply: WireMessage, Hashable {
  /// The upload URL for one file.
  public struct Token: WireMessage, Hashable {
    public var recordName: String
    public var fieldName: String
    /// Where the bytes are to be sent with POST.
    public var url: String

    public init(recordName: String, fieldName: String, url: String) {
      self.recordName = recordName
      self.fieldName = fieldName
      self.url = url
    }

    public init(json: JSONValue) throws(WireFormatError) {
      self.init(
        recordName: try json.requiredString("recordName"), fieldName: try json.requiredString("fieldName"),
        url: try json.requiredString("url"))
    }

    public var json: JSONValue {
      ["recordName": .string(recordName), "fieldName": .string(fieldName), "url": .string(url)]
    }
  }

  public var tokens: [Token]

  public init(_ tokens: [Token]) { self.tokens = tokens }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let tokens = try json.list("tokens") { json throws(WireFormatError) in try Token(json: json) }
    self.tokens = try json.require("tokens", tokens)
  }

  public var json: JSONValue { ["tokens": .array(tokens.map(\.json))] }
}

/// The reply of an upload URL: the value to write into the asset field
/// (Documentation/reference/web-services.md#assets).
public struct AssetUploadReceipt: WireMessage, Hashable {
  public var asset: Asset

  public init(_ asset: Asset) { self.asset = asset }

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let file = try json.require("singleFile", json["singleFile"])
    guard case .asset(let asset)? = try? FieldValue.reading(file, as: .scalar(.asset)) else {
      throw WireFormatError("expected an asset dictionary").inside("singleFile")
    }
    self.asset = asset
  }

  public var json: JSONValue { ["singleFile": asset.json] }
}

/// The body of an `assets/rereference` request: names assets that are already stored.
public struct AssetRereferenceMessage: Sendable, Hashable {
  /// A stored asset: its record and field.
  public struct Source: Sendable, Hashable {
    public let recordName: String
    public let fieldName: String

    init(json: JSONValue) throws(WireFormatError) {
      recordName = try json.requiredString("recordName")
      fieldName = try json.requiredString("fieldName")
      _ = try json.string("recordType")
    }
  }

  public let assets: [Source]
  public let zoneID: ZoneID?

  public init(json: JSONValue) throws(WireFormatError) {
    try json.requireObject()
    let assets = try json.list("assets") { json throws(WireFormatError) in try Source(json: json) }
    self.assets = try json.require("assets", assets)
    zoneID = try json.zoneID()
  }
}
