internal import CloudKitModel
internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials
internal import SchemaLanguage

/// A continuation marker: the sort keys and the row id of a page's last record, and a digest of the query.
///
/// Clients treat it as opaque base64 text.
struct PageMarker {
  var digest: String
  var keys: [SQLValue]
  var id: Int64

  var text: String {
    let json: JSONValue = ["q": .string(digest), "k": .array(keys.map(\.json)), "i": .integer(id)]
    return Data(json.bytes()).base64EncodedString()
  }

  init(digest: String, keys: [SQLValue], id: Int64) {
    self.digest = digest
    self.keys = keys
    self.id = id
  }

  /// `nil` if the text is not a marker that this container made.
  init?(_ text: String) {
    guard let data = Data(base64Encoded: text), let json = try? JSONValue(parsing: Array(data)),
      let digest = json["q"]?.string, let id = json["i"]?.integer, let stored = json["k"]?.array
    else { return nil }
    let keys = stored.compactMap(SQLValue.init(json:))
    guard keys.count == stored.count else { return nil }
    self.init(digest: digest, keys: keys, id: id)
  }

  /// A digest of the query and the environment, which detects a marker that is sent with another query.
  static func digest(of query: Query, in environment: Environment) -> String {
    let filters = query.filters.map { filter in
      JSONValue.array([
        .string(filter.comparator.rawValue), .string(filter.field.storedName), filter.value.json,
        filter.distance.map(JSONValue.double) ?? .null,
      ])
    }
    let sorts = query.sorts.map { sort in
      JSONValue.array([
        .string(sort.field.storedName), .bool(sort.ascending), sort.relativeLocation?.json ?? .null,
      ])
    }
    let description: JSONValue = [
      "e": .string(environment.rawValue), "t": .string(query.recordType), "f": .array(filters),
      "s": .array(sorts),
    ]
    return String(SHA256.hex(description.bytes()).prefix(16))
  }
}

extension SQLValue {
  fileprivate var json: JSONValue {
    switch self {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): ["d": .string(String(value.bitPattern, radix: 16))]
    case .text(let value): .string(value)
    case .blob(let value): ["b": .string(Data(value).base64EncodedString())]
    }
  }

  fileprivate init?(json: JSONValue) {
    switch json {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .string(let value): self = .text(value)
    default:
      if let bits = json["d"]?.string.flatMap({ UInt64($0, radix: 16) }) {
        self = .real(Double(bitPattern: bits))
      } else if let data = json["b"]?.string.flatMap({ Data(base64Encoded: $0) }) {
        self = .blob(Array(data))
      } else {
        return nil
      }
    }
  }
}
