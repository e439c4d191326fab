public import CloudKitModel
public import Diagnostics
internal import WebServicesWire

/// A record to create, with fields in the notation of Apple's cktool and the files of its asset fields.
public struct RecordDraft: Sendable {
  public var recordType: String
  /// As ``CKToolNotation`` reads them.
  public var fields: JSONValue
  /// The files' contents, by the key that the fields use for them.
  public var files: [String: [UInt8]]

  public init(recordType: String, fields: JSONValue, files: [String: [UInt8]] = [:]) {
    self.recordType = recordType
    self.fields = fields
    self.files = files
  }
}

extension CloudKitClient {
  /// Uploads the draft's files for the record of this name.
  ///
  /// Throws ``FieldValueError`` for invalid fields, before anything is sent.
  ///
  /// - Returns: the record's fields, with the uploaded assets.
  public func upload(_ draft: RecordDraft, for recordName: String) async throws -> [String: FieldValue] {
    // Parse the fields with a placeholder for each file, which has the file's key in place of the checksum.
    let standIns = Dictionary(
      uniqueKeysWithValues: draft.files.keys.map { ($0, Asset(fileChecksum: $0, size: 0)) })
    let fields = try CKToolNotation.fields(draft.fields, assets: standIns)
    var uploaded: [String: Asset] = [:]
    for (field, value) in fields.sorted(by: { $0.key < $1.key }) {
      for key in value.assets.map(\.fileChecksum) where uploaded[key] == nil {
        guard let file = draft.files[key] else { continue }
        let token = AssetUploadMessage.Token(
          recordType: draft.recordType, fieldName: field, recordName: recordName)
        uploaded[key] = try await upload(file, for: token).asset
      }
    }
    return fields.mapValues { $0.replacing(uploaded) }
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

  /// The value with placeholders replaced by the uploaded assets.
  fileprivate func replacing(_ uploaded: [String: Asset]) -> FieldValue {
    switch self {
    case .asset(let asset): .asset(uploaded[asset.fileChecksum] ?? asset)
    case .list(let type, let elements): .list(of: type, elements.map { $0.replacing(uploaded) })
    default: self
    }
  }
}
