internal import Platform
package import SchemaLanguage

/// The value of one field of a record. The two large and rare kinds are stored indirectly, so that a value takes 24
/// bytes instead of 128. Values are most of the memory of a run over many thousand records.
package enum FieldValue: Sendable, Hashable {
  case string(String)
  case int64(Int64)
  case double(Double)
  case timestamp(Timestamp)
  case bytes([UInt8])
  case reference(Reference)
  indirect case location(Location)
  indirect case asset(Asset)
  /// Every element is of the given type; the type is kept so that an empty list still has one.
  case list(of: ScalarType, [FieldValue])

  package var type: FieldType {
    switch self {
    case .string: .scalar(.string)
    case .int64: .scalar(.int64)
    case .double: .scalar(.double)
    case .timestamp: .scalar(.timestamp)
    case .bytes: .scalar(.bytes)
    case .reference: .scalar(.reference)
    case .location: .scalar(.location)
    case .asset: .scalar(.asset)
    case .list(let element, _): .list(element)
    }
  }

  /// Texts are equal when their code points are, as for the service and SQLite: a title whose Unicode normalization
  /// changed is another title.
  package static func == (lhs: FieldValue, rhs: FieldValue) -> Bool {
    switch (lhs, rhs) {
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.int64(let left), .int64(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.timestamp(let left), .timestamp(let right)): left == right
    case (.bytes(let left), .bytes(let right)): left == right
    case (.reference(let left), .reference(let right)): left == right
    case (.location(let left), .location(let right)): left == right
    case (.asset(let left), .asset(let right)): left == right
    case (.list(let leftType, let left), .list(let rightType, let right)):
      leftType == rightType && left == right
    default: false
    }
  }

  package static func strings(_ values: [String]) -> FieldValue {
    .list(of: .string, values.map(FieldValue.string))
  }
  package static func references(_ names: [String]) -> FieldValue {
    .list(of: .reference, names.map { .reference(Reference($0)) })
  }
  /// CloudKit has no boolean: 0 and 1 in an INT64 (Documentation/reference/web-services.md#field-types).
  package static func flag(_ value: Bool) -> FieldValue { .int64(value ? 1 : 0) }

  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var int64: Int64? { if case .int64(let value) = self { value } else { nil } }
  package var timestamp: Timestamp? { if case .timestamp(let value) = self { value } else { nil } }
  package var reference: Reference? { if case .reference(let value) = self { value } else { nil } }
  /// The name in a STRING or a REFERENCE.
  package var referredName: String? { string ?? reference?.recordName }
  package var elements: [FieldValue]? { if case .list(_, let values) = self { values } else { nil } }
  package var flag: Bool? { int64.map { $0 != 0 } }

  package var number: Double? {
    switch self {
    case .int64(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
}

/// A moment in whole milliseconds since 1970: the only precision CloudKit keeps.
package struct Timestamp: Sendable, Hashable, Comparable {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static func < (lhs: Self, rhs: Self) -> Bool { lhs.milliseconds < rhs.milliseconds }

  /// Negative if `other` is later. Limited to the range of 64 bits.
  package func since(_ other: Timestamp) -> Duration {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(other.milliseconds)
    return .milliseconds(overflow ? (other.milliseconds < 0 ? .max : .min) : difference)
  }

  /// Limited to the range of 64 bits.
  package static func + (moment: Self, duration: Duration) -> Self {
    Self(milliseconds: moment.milliseconds.addingClamped(duration.milliseconds))
  }

  package static func - (moment: Self, duration: Duration) -> Self { moment + (.zero - duration) }
}

/// A link to another record of the same zone.
package struct Reference: Sendable, Hashable {
  package enum Action: String, Sendable, Hashable, CaseIterable {
    case none = "NONE"
    /// Deleting the target deletes this record too.
    case deleteSelf = "DELETE_SELF"
    /// The target must exist when this record is written, and cannot be deleted while this record exists.
    case validate = "VALIDATE"
  }

  package var recordName: String
  package var action: Action

  package static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.action == rhs.action && lhs.recordName.hasSameBytes(as: rhs.recordName)
  }

  package init(_ recordName: String, action: Action = .none) {
    self.recordName = recordName
    self.action = action
  }
}

/// A place on the Earth, with optional accuracy, speed and time.
package struct Location: Sendable, Hashable {
  /// Degrees, -90...90.
  package var latitude: Double
  /// Degrees, -180...180.
  package var longitude: Double
  /// Meters.
  package var horizontalAccuracy: Double?
  /// Meters.
  package var verticalAccuracy: Double?
  /// Meters above sea level.
  package var altitude: Double?
  /// Meters a second.
  package var speed: Double?
  /// Degrees clockwise from north.
  package var course: Double?
  package var timestamp: Timestamp?
}

/// A file that belongs to a record but is stored separately. Written with the upload's receipt, read with a download
/// URL.
package struct Asset: Sendable, Hashable {
  package var fileChecksum: String
  /// Bytes.
  package var size: Int64
  package var receipt: String?
  package var wrappingKey: String?
  package var referenceChecksum: String?
  package var downloadURL: String?

  package init(
    fileChecksum: String, size: Int64, receipt: String? = nil, wrappingKey: String? = nil,
    referenceChecksum: String? = nil, downloadURL: String? = nil
  ) {
    self.fileChecksum = fileChecksum
    self.size = size
    self.receipt = receipt
    self.wrappingKey = wrappingKey
    self.referenceChecksum = referenceChecksum
    self.downloadURL = downloadURL
  }

  /// Whether both are the same file. Only what is written has a receipt, and only what is read has an address, another
  /// one each time.
  package static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.fileChecksum == rhs.fileChecksum && lhs.size == rhs.size
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(fileChecksum) }
}

/// Why the file of an asset cannot be used. The reason names no address, with which anyone can read the file.
package struct AssetProblem: Error, Sendable, Hashable {
  package let reason: String

  package init(_ reason: String) { self.reason = reason }
}

extension FieldValue {
  /// An asset's URL expires; until then, anyone with the URL can read the file.
  package var withoutAddress: FieldValue {
    switch self {
    case .asset(var asset):
      asset.downloadURL = nil
      return .asset(asset)
    case .list(of: .asset, let elements): return .list(of: .asset, elements.map(\.withoutAddress))
    default: return self
    }
  }

  /// Whether it has an asset without the receipt of an upload, which the service refuses
  /// (Documentation/reference/web-services.md#assets).
  package var lacksUpload: Bool { assets.contains { $0.receipt == nil } }

  package var assets: [Asset] {
    switch self {
    case .asset(let asset): [asset]
    case .list(_, let elements): elements.flatMap(\.assets)
    default: []
    }
  }

  /// Bytes the value takes of a record's ``ContainerLimits/recordSize``. Apple publishes the limit, not the
  /// measure; this one counts text as UTF-8, a number or moment as 8 and a reference as its name.
  package var size: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .int64, .double, .timestamp: 8
    case .bytes(let bytes): bytes.count
    case .reference(let reference): reference.recordName.utf8.count
    case .location: 64
    // Its metadata: the file lies beside the record and does not count
    // (Documentation/reference/web-services.md#limits).
    case .asset: 128
    case .list(_, let values): values.reduce(0) { $0 + $1.size }
    }
  }
}

extension FieldValue {
  package var isEmptyList: Bool { elements?.isEmpty == true }

  /// Why this value cannot be stored; `nil` if it can.
  package var outOfRange: String? {
    switch self {
    case .double(let number): number.isFinite ? nil : "is not a finite number"
    case .location(let location):
      (-90...90).contains(location.latitude) && (-180...180).contains(location.longitude)
        ? nil : "has a latitude or longitude out of range"
    case .reference(let reference): reference.recordName.isEmpty ? "refers to an empty record name" : nil
    case .list(_, let elements): elements.lazy.compactMap(\.outOfRange).first
    default: nil
    }
  }
}

/// Why a container refuses a value of a field from every writer.
package enum FieldRefusal: Sendable, Hashable {
  case unknownField, encryptedField
  case otherType(FieldValue, declared: FieldType)
  /// The reason, in words that follow the field's name.
  case outOfRange(String)

  /// `nil` for a value that the field takes, and for clearing it. An empty list fits every list field.
  fileprivate init?(_ value: FieldValue?, declared: DataType?) {
    guard let declared else {
      self = .unknownField
      return
    }
    let type = FieldType(declared)
    if declared.isEncrypted {
      self = .encryptedField
    } else if let value, value.type != type, !(value.isEmptyList && type == .list(type.element)) {
      self = .otherType(value, declared: type)
    } else if let reason = value?.outOfRange {
      self = .outOfRange(reason)
    } else {
      return nil
    }
  }
}

extension [String: FieldValue?] {
  /// The first field by name that no container takes.
  ///
  /// - Parameter declared: the type of a field; `nil` for one that a record type does not have, or that is a system field.
  package func firstRefusal(_ declared: (String) -> DataType?) -> (name: String, refusal: FieldRefusal)? {
    var first: (name: String, refusal: FieldRefusal)?
    for (name, value) in self where first.map({ name < $0.name }) ?? true {
      if let refusal = FieldRefusal(value, declared: declared(name)) { first = (name, refusal) }
    }
    return first
  }
}

extension [String: FieldValue] {
  /// Bytes of a record with these fields.
  package var size: Int { reduce(0) { $0 + $1.key.utf8.count + $1.value.size } }
}

/// Text as a key that is compared by its UTF-8 bytes, as the service and SQLite compare it.
///
/// Swift's `String` is equal under canonical equivalence: `é` as one code point and as `e` with U+0301 are one key
/// of a dictionary and two values of a record.
package struct ExactText: Sendable, Hashable, Comparable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (lhs: Self, rhs: Self) -> Bool { lhs.text.hasSameBytes(as: rhs.text) }
  package static func < (lhs: Self, rhs: Self) -> Bool {
    lhs.text.utf8.lexicographicallyPrecedes(rhs.text.utf8)
  }

  // Equal bytes are equal strings, and equal strings have one hash.
  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension String {
  /// Whether both texts have the same UTF-8 bytes. Comparing the views byte by byte takes ten times as long, and a run
  /// compares every text of each feed's state.
  fileprivate func hasSameBytes(as other: String) -> Bool {
    let isSame = utf8.withContiguousStorageIfAvailable { own in
      other.utf8.withContiguousStorageIfAvailable { other in
        guard own.count == other.count, let bytes = own.baseAddress, let others = other.baseAddress else {
          return own.isEmpty && other.isEmpty
        }
        return memcmp(bytes, others, own.count) == 0
      }
    }
    return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
  }
}
