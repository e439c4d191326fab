package import SchemaLanguage

/// The element types a CloudKit field can have (reference: the schema language's primitives).
package enum ScalarType: String, Sendable, Hashable, CaseIterable {
  case string = "STRING"
  case int64 = "INT64"
  case double = "DOUBLE"
  case timestamp = "TIMESTAMP"
  case bytes = "BYTES"
  case reference = "REFERENCE"
  case location = "LOCATION"
  case asset = "ASSET"

  /// The name on the wire: only ASSET differs (`ASSETID`), and the service refuses `ASSET`.
  package var wireName: String { self == .asset ? "ASSETID" : rawValue }

  package init?(wireName: String) {
    guard let type = Self.allCases.first(where: { $0.wireName == wireName }) else { return nil }
    self = type
  }
}

package enum FieldType: Sendable, Hashable, CustomStringConvertible {
  case scalar(ScalarType)
  case list(ScalarType)

  package var element: ScalarType {
    switch self {
    case .scalar(let type), .list(let type): type
    }
  }

  /// As error texts and responses name it: `STRING`, `STRING_LIST`, `ASSETID`.
  package var wireName: String {
    switch self {
    case .scalar(let type): type.wireName
    case .list(let type): type.wireName + "_LIST"
    }
  }

  package init?(wireName: String) {
    if let type = ScalarType(wireName: wireName) {
      self = .scalar(type)
    } else if wireName.hasSuffix("_LIST"), let type = ScalarType(wireName: String(wireName.dropLast(5))) {
      self = .list(type)
    } else {
      return nil
    }
  }

  /// As the schema language writes it: `STRING`, `LIST<STRING>`.
  package var description: String {
    switch self {
    case .scalar(let type): type.rawValue
    case .list(let type): "LIST<\(type.rawValue)>"
    }
  }

  /// The type a declared field's values have. `NUMBER` without a preference holds doubles; encryption does not
  /// change the type of what is inside.
  package init(_ declared: DataType) {
    switch declared {
    case .scalar(let primitive): self = .scalar(ScalarType(primitive))
    case .list(let primitive): self = .list(ScalarType(primitive))
    }
  }
}

extension ScalarType {
  init(_ primitive: Primitive) {
    switch primitive {
    case .plain(let type), .encrypted(let type), .number(preferred: let type?): self.init(type)
    case .asset: self = .asset
    case .reference: self = .reference
    case .number(preferred: nil): self = .double
    }
  }

  private init(_ type: Primitive.Encryptable) {
    switch type {
    case .bytes: self = .bytes
    case .string: self = .string
    case .double: self = .double
    case .int64: self = .int64
    case .location: self = .location
    case .timestamp: self = .timestamp
    }
  }
}

extension FieldType {
  /// How a value is written on the command line.
  package var advice: String {
    switch self {
    case .scalar(.int64): "Write a whole number. A flag is 1 or 0."
    case .scalar(.double): "Write a number such as 2.5."
    case .scalar(.timestamp): "Write a date as 2026-01-31, or with its time as 2026-01-31T12:00:00Z."
    case .scalar(.bytes): "Write the bytes in Base64."
    case .scalar(.location): #"Write it as {"latitude": 48.2, "longitude": 16.4}."#
    case .scalar(.asset), .list(.asset): "Write it as 'records export' does."
    case .scalar(.string), .scalar(.reference): "Write the name of a record."
    case .list(.int64), .list(.double): "Write a list as [1, 2]."
    case .list(.location): #"Write a list as [{"latitude": 48.2, "longitude": 16.4}]."#
    case .list(.string), .list(.reference): #"Write a list as ["a", "b"]."#
    case .list(.timestamp): #"Write a list as ["2026-01-31"]."#
    case .list(.bytes): #"Write a list of bytes in Base64, as ["aGk="]."#
    }
  }
}
