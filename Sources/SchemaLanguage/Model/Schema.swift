/// A container's schema as declared in a `.ckdb` text, in the order it was written.
public struct Schema: Sendable, Hashable {
  /// Custom roles, without the system's own.
  public var roles: [Role]
  public var recordTypes: [RecordType]

  public init(roles: [Role] = [], recordTypes: [RecordType] = []) {
    self.roles = roles
    self.recordTypes = recordTypes
  }

  public subscript(recordType name: String) -> RecordType? { recordTypes.first { $0.name == name } }
}

/// A role of a schema: `CREATE ROLE name;`
public struct Role: Sendable, Hashable {
  public var name: String

  public init(_ name: String) { self.name = name }

  /// Anyone, signed in or not.
  public static let world = "_world"
  /// Any signed-in user.
  public static let icloud = "_icloud"
  /// The creator of the record.
  public static let creator = "_creator"
}

/// A record type of a schema: `RECORD TYPE name ( … );`
public struct RecordType: Sendable, Hashable {
  public var name: String
  /// The declared fields. System fields are only included if the text declares them.
  public var fields: [Field]
  public var grants: [Grant]

  public init(_ name: String, fields: [Field] = [], grants: [Grant] = []) {
    self.name = name
    self.fields = fields
    self.grants = grants
  }

  public subscript(field name: String) -> Field? { fields.first { $0.name == name } }

  /// Whether users of an app may create such records. A type without grants has the default ones.
  package var isMadeByUsers: Bool {
    guard !SystemNames.isManaged(name) else { return false }
    return grants.isEmpty || [Role.icloud, Role.world].contains { privileges(of: $0).contains(.create) }
  }

  /// The privileges of a role, from all grants to it.
  public func privileges(of role: String) -> EnumSet<Privilege> {
    grants.reduce(into: []) { if $1.role == role { $0.formUnion($1.privileges) } }
  }
}

/// A field of a record type, with its type and indexes.
public struct Field: Sendable, Hashable {
  public var name: String
  public var type: DataType
  public var indexes: EnumSet<Index>

  public init(_ name: String, _ type: DataType, _ indexes: EnumSet<Index> = []) {
    self.name = name
    self.type = type
    self.indexes = indexes
  }
}

/// A grant of a record type: `GRANT privileges TO role`
public struct Grant: Sendable, Hashable {
  public var role: String
  public var privileges: EnumSet<Privilege>

  public init(_ privileges: EnumSet<Privilege>, to role: String) {
    self.role = role
    self.privileges = privileges
  }
}

/// The privileges of a grant: READ, CREATE and WRITE.
public enum Privilege: String, EnumSetElement {
  case read = "READ"
  case create = "CREATE"
  /// Changing and deleting.
  case write = "WRITE"

  public var bit: UInt8 {
    switch self {
    case .read: 1
    case .create: 2
    case .write: 4
    }
  }
}

/// The indexes of a field.
public enum Index: String, EnumSetElement {
  /// For equality.
  case queryable = "QUERYABLE"
  /// For words in text.
  case searchable = "SEARCHABLE"
  /// For order and ranges.
  case sortable = "SORTABLE"

  public var bit: UInt8 {
    switch self {
    case .queryable: 1
    case .searchable: 2
    case .sortable: 4
    }
  }
}

/// The type of a declared field.
public enum DataType: Sendable, Hashable, CustomStringConvertible {
  case scalar(Primitive)
  case list(Primitive)

  public var primitive: Primitive {
    switch self {
    case .scalar(let primitive), .list(let primitive): primitive
    }
  }

  public var description: String {
    switch self {
    case .scalar(let primitive): primitive.description
    case .list(let primitive): "LIST<\(primitive)>"
    }
  }
}

/// The type of a field's value, or of a list's elements.
public enum Primitive: Sendable, Hashable, CustomStringConvertible {
  case plain(Encryptable)
  case encrypted(Encryptable)
  case asset
  case reference
  /// `NUMBER`, optionally `PREFERRED AS INT64` or `DOUBLE`.
  case number(preferred: Encryptable?)

  /// The types that can be ENCRYPTED.
  public enum Encryptable: String, Sendable, Hashable, CaseIterable {
    case bytes = "BYTES"
    case string = "STRING"
    case double = "DOUBLE"
    case int64 = "INT64"
    case location = "LOCATION"
    case timestamp = "TIMESTAMP"
  }

  public var description: String {
    switch self {
    case .plain(let type): type.rawValue
    case .encrypted(let type): "ENCRYPTED \(type.rawValue)"
    case .asset: "ASSET"
    case .reference: "REFERENCE"
    case .number(nil): "NUMBER"
    case .number(let preferred?): "NUMBER PREFERRED AS \(preferred.rawValue)"
    }
  }
}

extension DataType {
  public static let string = DataType.scalar(.plain(.string))
  public static let int64 = DataType.scalar(.plain(.int64))
  public static let double = DataType.scalar(.plain(.double))
  public static let timestamp = DataType.scalar(.plain(.timestamp))
  public static let bytes = DataType.scalar(.plain(.bytes))
  public static let location = DataType.scalar(.plain(.location))
  public static let reference = DataType.scalar(.reference)
  public static let asset = DataType.scalar(.asset)
}

/// An enumeration whose cases an ``EnumSet`` can contain.
public protocol EnumSetElement: CaseIterable, Hashable, Sendable {
  /// A bit that is different for each case.
  var bit: UInt8 { get }
}

/// A set of the cases of a small enumeration, stored in one byte. Fast for large schemas, which have a set for each
/// field and grant, because it needs no hashing. Iterates in the order of `allCases`.
public struct EnumSet<Element: EnumSetElement>: OptionSet, Sequence, Hashable, Sendable {
  public var rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public func contains(_ member: Element) -> Bool { rawValue & member.bit != 0 }

  public func makeIterator() -> IndexingIterator<[Element]> {
    Element.allCases.filter { contains($0) }.makeIterator()
  }

  @discardableResult
  public mutating func insert(_ member: Element) -> (inserted: Bool, memberAfterInsert: Element) {
    let isNew = !contains(member)
    rawValue |= member.bit
    return (isNew, member)
  }

  @discardableResult
  public mutating func remove(_ member: Element) -> Element? {
    let isMember = contains(member)
    rawValue &= ~member.bit
    return isMember ? member : nil
  }

  @discardableResult
  public mutating func update(with member: Element) -> Element? {
    insert(member).inserted ? nil : member
  }
}
