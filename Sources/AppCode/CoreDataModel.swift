public import Diagnostics
internal import SchemaLanguage
internal import XMLReading

/// A Core Data model, as the records that NSPersistentCloudKitContainer makes of it
/// (Documentation/reference/schema-language.md#core-data).
public enum CoreDataModel {
  /// A model that cannot be read.
  public struct Failure: Error, Sendable {
    public let message: String
  }

  /// What the model's records need: a type `CD_Entity`, and a field `CD_name` for each attribute and each relation to one
  /// record.
  ///
  /// - Parameter source: the file `contents` of a model's version. Throws ``Failure`` for one that is not well-formed.
  public static func uses(in source: SourceText) throws(Failure) -> AppUses {
    guard let events = events(of: source) else {
      throw Failure(message: "\(source.name) is not well-formed XML")
    }
    var reader = Reader(source: source)
    for (event, line) in events { reader.read(event, line: line) }
    guard reader.isModel else { throw Failure(message: "\(source.name) is not a Core Data model") }
    return AppUses(reader.uses, undecided: reader.undecided)
  }

  /// The name of the current version in a `.xccurrentversion` file.
  public static func currentVersion(in source: SourceText) -> String? {
    var isKey = false
    var isNext = false
    var name: String?
    for (event, _) in events(of: source) ?? [] {
      switch event {
      case .start(let element, _): isKey = element == "key"
      case .text(let text):
        if isKey {
          isNext = text == "_XCCurrentVersionName"
        } else if isNext, name == nil, !text.allSatisfy(\.isWhitespace) {
          name = text
        }
      case .end: isKey = false
      }
    }
    return name
  }

  /// `nil` for a document that is not well-formed.
  private static func events(of source: SourceText) -> [(MarkupEvent, line: Int)]? {
    var events: [(MarkupEvent, line: Int)] = []
    let outcome = XMLEvents().read(source.bytes) {
      events = []
      return { event, place in
        events.append((event, place.line))
        return .read
      }
    }
    return outcome.error == nil ? events : nil
  }

  private struct Reader {
    let source: SourceText
    var uses: [AppUse] = []
    var undecided: [SourceRange] = []
    var isModel = false
    private var entity: String?

    init(source: SourceText) { self.source = source }

    mutating func read(_ event: MarkupEvent, line: Int) {
      guard case .start(let name, let attributes) = event else { return }
      let values = Dictionary(attributes.map { ($0.name, $0.value) }) { first, _ in first }
      switch name {
      case "model": isModel = true
      case "entity":
        // Which record type an entity with a parent has is not documented.
        guard values["parentEntity"] == nil, let name = values["name"] else {
          entity = nil
          undecided.append(place(of: line))
          break
        }
        entity = name
        guard values["isAbstract"] != "YES" else { break }
        add(.type, nil, nil, line)
        add(.field, "CD_entityName", .string, line)
      case "attribute" where values["transient"] != "YES":
        guard let name = values["name"] else { break }
        let encrypted = values["allowsCloudEncryption"] == "YES"
        add(.field, "CD_\(name)", type(values["attributeType"], encrypted), line)
      case "relationship" where values["toMany"] != "YES" && values["transient"] != "YES":
        if let name = values["name"] { add(.field, "CD_\(name)", .string, line) }
      default: break
      }
    }

    private func type(_ name: String?, _ isEncrypted: Bool) -> DataType? {
      let plain: Primitive.Encryptable? =
        switch name {
        case "String", "UUID", "URI": .string
        case "Integer 16", "Integer 32", "Integer 64", "Boolean": .int64
        case "Double", "Float": .double
        case "Date": .timestamp
        case "Binary", "Transformable": .bytes
        default: nil
        }
      return plain.map { .scalar(isEncrypted ? .encrypted($0) : .plain($0)) }
    }

    private mutating func add(_ kind: AppUse.Kind, _ field: String?, _ type: DataType?, _ line: Int) {
      guard let entity else { return }
      uses.append(
        AppUse(
          kind: kind, recordType: "CD_\(entity)", field: field, comparator: nil, dataType: type,
          place: place(of: line)))
    }

    private func place(of line: Int) -> SourceRange {
      source.range(source.lineRange(around: source.lineStart(line), reach: 200))
    }
  }
}
