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
    // Read once, with a stand-in for each file that bears its key where the checksum will be.
    let standIns = Dictionary(
      uniqueKeysWithValues: draft.files.keys.map { ($0, Asset(fileChecksum: $0, size: 0)) })
    var fields = try CKToolNotation.fields(draft.fields, assets: standIns)
    var uploaded: [String: Asset] = [:]
    for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
      for key in value.assets.map(\.fileChecksum) where uploaded[key] == nil {
        guard let file = draft.files[key] else { continue }
        let token = AssetUploadMessage.Token(
          recordType: draft.recordType, fieldName: field, recordName: recordName)
        uploaded[key] = try await upload(file, for: token).asset
      }
    }
    fields = fields.mapValues { $0.replacing(uploaded) }
    let operation = RecordOperation(
      .create, recordType: draft.recordType, recordName: recordName, fields: fields)
    switch try await modify([operation])[0] {
    case .record(let record): return record
    case .failed(_, let error): throw error
    case .deleted: throw ContainerFailure.unusable(Endpoint.recordsModify.rawValue, "a create was a delete")
    }
  }
}

extension FieldValue {
  fileprivate var assets: [Asset] {
    switch self {
    case .asset(let asset): [asset]
    case .list(_, let elements): elements.flatMap(\.assets)
    default: []
    }
  }

  /// With each stand-in's file as it was uploaded.
  fileprivate func replacing(_ uploaded: [String: Asset]) -> FieldValue {
    switch self {
    case .asset(let asset): .asset(uploaded[asset.fileChecksum] ?? asset)
    case .list(let type, let elements): .list(of: type, elements.map { $0.replacing(uploaded) })
    default: self
    }
  }
}
