/// A container's schema as declared in a `.ckdb` text, in the order it was written.
package struct Schema: Sendable, Hashable {
  /// Custom roles, without the system's own.
  package var roles: [Role]
  package var recordTypes: [RecordType]

  package init(roles: [Role] = [], recordTypes: [RecordType] = []) {
    self.roles = roles
    self.recordTypes = recordTypes
  }

  package subscript(recordType name: String) -> RecordType? { recordTypes.first { $0.name == name } }

  /// Whether it has only what CloudKit makes in each container, as before the first import.
  package var isNew: Bool { roles.isEmpty && recordTypes.allSatisfy { $0.name == SystemNames.users } }
}

package struct Role: Sendable, Hashable {
  package var name: String

  package init(_ name: String) { self.name = name }

  /// Anyone, signed in or not.
  package static let world = "_world"
  /// Any signed-in user.
  package static let icloud = "_icloud"
  /// The creator of the record.
  package static let creator = "_creator"
}

package struct RecordType: Sendable, Hashable {
  package var name: String
  /// The declared fields. System fields are only included if the text declares them.
  package var fields: [Field]
  package var grants: [Grant]

  package init(_ name: String, fields: [Field] = [], grants: [Grant] = []) {
    self.name = name
    self.fields = fields
    self.grants = grants
  }

  package subscript(field name: String) -> Field? { fields.first { $0.name == name } }

  /// What development grants on each type that it makes itself (Documentation/reference/schema-language.md#databases).
  package static let defaultGrants = [
    Grant([.write], to: Role.creator), Grant([.create], to: Role.icloud), Grant([.read], to: Role.world),
  ]

  /// Whether users of an app may create such records. A type without any grant may have the default ones, which is not
  /// known (Documentation/reference/web-services.md#roles).
  package var isMadeByUsers: Bool {
    guard !SystemNames.isManaged(name) else { return false }
    return grants.isEmpty || [Role.icloud, Role.world].contains { privileges(of: $0).contains(.create) }
  }

  /// The privileges of a role, from all grants to it.
  package func privileges(of role: String) -> EnumSet<Privilege> {
    grants.reduce(into: []) { if $1.role == role { $0.formUnion($1.privileges) } }
  }
}

package struct Field: Sendable, Hashable {
  package var name: String
  package var type: DataType
  package var indexes: EnumSet<Index>

  package init(_ name: String, _ type: DataType, _ indexes: EnumSet<Index> = []) {
    self.name = name
    self.type = type
    self.indexes = indexes
  }
}

/// A grant of a record type: `GRANT privileges TO role`
package struct Grant: Sendable, Hashable {
  package var role: String
  package var privileges: EnumSet<Privilege>

  package init(_ privileges: EnumSet<Privilege>, to role: String) {
    self.role = role
    self.privileges = privileges
  }

  /// The privileges without those that allow nothing: CREATE for `_creator`
  /// (Documentation/reference/schema-language.md#missing-creators).
  package var effective: EnumSet<Privilege> {
    role == Role.creator ? privileges.subtracting([.create]) : privileges
  }

  /// Why CREATE for `_creator` is not among the effective privileges.
  static let creatorCreates =
    "CREATE for \"_creator\" allows nothing: a record that does not exist yet has no creator"
}

package enum Privilege: String, EnumSetElement {
  case read = "READ"
  case create = "CREATE"
  /// Changing and deleting.
  case write = "WRITE"

  package var bit: UInt8 {
    switch self {
    case .read: 1
    case .create: 2
    case .write: 4
    }
  }
}

package enum Index: String, EnumSetElement {
  /// For equality.
  case queryable = "QUERYABLE"
  /// For words in text.
  case searchable = "SEARCHABLE"
  /// For order and ranges.
  case sortable = "SORTABLE"

  package var bit: UInt8 {
    switch self {
    case .queryable: 1
    case .searchable: 2
    case .sortable: 4
    }
  }
}

package enum DataType: Sendable, Hashable, CustomStringConvertible {
  case scalar(Primitive)
  case list(Primitive)

  package var primitive: Primitive {
    switch self {
    case .scalar(let primitive), .list(let primitive): primitive
    }
  }

  package var description: String {
    switch self {
    case .scalar(let primitive): primitive.description
    case .list(let primitive): "LIST<\(primitive)>"
    }
  }
}

/// The type of a field's value, or of a list's elements.
package enum Primitive: Sendable, Hashable, CustomStringConvertible {
  case plain(Encryptable)
  case encrypted(Encryptable)
  case asset
  case reference
  /// `NUMBER`, optionally `PREFERRED AS INT64` or `DOUBLE`.
  case number(preferred: Encryptable?)

  /// The types that can be ENCRYPTED.
  package enum Encryptable: String, Sendable, Hashable, CaseIterable {
    case bytes = "BYTES"
    case string = "STRING"
    case double = "DOUBLE"
    case int64 = "INT64"
    case location = "LOCATION"
    case timestamp = "TIMESTAMP"
  }

  package var description: String {
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
  package static let string = DataType.scalar(.plain(.string))
  package static let int64 = DataType.scalar(.plain(.int64))
  package static let double = DataType.scalar(.plain(.double))
  package static let timestamp = DataType.scalar(.plain(.timestamp))
  package static let bytes = DataType.scalar(.plain(.bytes))
  package static let location = DataType.scalar(.plain(.location))
  package static let reference = DataType.scalar(.reference)
  package static let asset = DataType.scalar(.asset)
}

package protocol EnumSetElement: CaseIterable, Hashable, Sendable {
  /// A bit that is different for each case.
  var bit: UInt8 { get }
}

/// A set of the cases of a small enumeration, stored in one byte. Fast for large schemas, which have a set for each
/// field and grant, because it needs no hashing. Iterates in the order of `allCases`.
package struct EnumSet<Element: EnumSetElement>: OptionSet, Sequence, Hashable, Sendable {
  package var rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package func contains(_ member: Element) -> Bool { rawValue & member.bit != 0 }

  package func makeIterator() -> IndexingIterator<[Element]> {
    Element.allCases.filter { contains($0) }.makeIterator()
  }

  @discardableResult
  package mutating func insert(_ member: Element) -> (inserted: Bool, memberAfterInsert: Element) {
    let isNew = !contains(member)
    rawValue |= member.bit
    return (isNew, member)
  }

  @discardableResult
  package mutating func remove(_ member: Element) -> Element? {
    let isMember = contains(member)
    rawValue &= ~member.bit
    return isMember ? member : nil
  }

  @discardableResult
  package mutating func update(with member: Element) -> Element? {
    insert(member).inserted ? nil : member
  }
}
