public import CloudKitModel
internal import FoundationEssentials
public import PositionedJSON
internal import WebServicesWire

/// A record to be made from fields in Apple's notation, with the files that go into its asset fields.
public struct RecordDraft: Sendable {
  public var recordType: String
  /// As ``CKToolNotation`` reads them.
  public var fields: JSONValue
  /// Contents by the key that the fields name a file by.
  public var files: [String: [UInt8]]

  public init(recordType: String, fields: JSONValue, files: [String: [UInt8]] = [:]) {
    self.recordType = recordType
    self.fields = fields
    self.files = files
  }
}

extension CloudKitClient {
  /// Uploads the draft's files and creates the record that holds them.
  ///
  /// Throws ``FieldValueError`` before anything is sent when the fields make no sense.
  public func create(_ draft: RecordDraft) async throws -> Record {
    let recordName = UUID().uuidString
    let keys = CKToolNotation.fileKeys(in: draft.fields).filter { draft.files[$0.key] != nil }
    let placeholders = keys.map { ($0.key, Asset(fileChecksum: "", size: 0)) }
    _ = try CKToolNotation.fields(
      draft.fields, assets: Dictionary(placeholders, uniquingKeysWith: { first, _ in first }))
    var assets: [String: Asset] = [:]
    for (field, key) in keys where assets[key] == nil {
      let token = AssetUploadMessage.Token(
        recordType: draft.recordType, fieldName: field, recordName: recordName)
      assets[key] = try await upload(draft.files[key] ?? [], for: token).asset
    }
    let fields = try CKToolNotation.fields(draft.fields, assets: assets)
    let operation = RecordOperation(
      .create, recordType: draft.recordType, recordName: recordName, fields: fields)
    switch try await modify([operation])[0] {
    case .record(let record): return record
    case .failed(_, let error): throw error
    case .deleted: throw ContainerFailure.unusable(Endpoint.recordsModify.rawValue, "a create was a delete")
    }
  }
}
