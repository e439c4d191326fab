package import Diagnostics
internal import SchemaLanguage
internal import XMLReading

/// A Core Data model, as the records that NSPersistentCloudKitContainer makes of it
/// (Documentation/reference/schema-language.md#core-data).
package enum CoreDataModel {
  /// What the model's records need: a type `CD_Entity`, that of the root for an entity with a parent; a field `CD_name` for
  /// each attribute and each relation to one record; a field `CD_name_ckAsset` for large data; and the type `CDMR` for
  /// relations of many to many.
  ///
  /// - Parameters:
  ///   - source: the file `contents` of a model's version. Where the current version is missing, the model's
  ///     `.xccurrentversion` file, or an empty text with the name of the model's folder if it has none. A file that cannot
  ///     be read is a problem.
  ///   - code: the app's code. If it names no container that mirrors Core Data, and the model is not marked for CloudKit,
  ///     the model is undecided.
  package static func uses(in source: SourceText, of code: AppUses) -> AppUses {
    if source.name.hasSuffix(folderEnding) {
      let file = "\(source.name)/\(versionFile)"
      return AppUses(
        unread: source.range(0..<0),
        "the model has several versions, and the file \(versionFile), which names the current one, is missing",
        help: "probably it is not committed, because .gitignore names it: git add -f \(file.shellWord)")
    }
    if source.name.hasSuffix("/\(versionFile)") {
      return AppUses(
        unread: source.range(0..<0),
        currentVersion(in: source).map { "the model has no version '\($0)', which is its current one" }
          ?? "the model has several versions, and this file does not name the current one")
    }
    let (events, error) = Self.events(of: source)
    if let error {
      return AppUses(unread: source.line(error.line), "the model is not well-formed XML: \(error.message)")
    }
    var reader = Reader(source: source)
    for (event, line) in events { reader.read(event, line: line) }
    guard reader.isModel else {
      return AppUses(unread: source.line(1), "the file is not a Core Data model")
    }
    if code.lacksCoreDataMirror, !reader.isForCloudKit {
      return AppUses(undecided: source.range(0..<0), "nothing shows that the model is for CloudKit")
    }
    return AppUses(reader.synced)
  }

  /// Whether a record type is one that the framework makes.
  static func isRecordType(_ name: String) -> Bool { name.hasPrefix("CD_") || name == "CDMR" }

  /// The file of a model with several versions that names the current one.
  package static let versionFile = ".xccurrentversion"
  /// How the folder of a model is called, which has a folder for each version.
  package static let folderEnding = ".xcdatamodeld"

  /// The name of the current version in a `.xccurrentversion` file.
  package static func currentVersion(in source: SourceText) -> String? {
    let texts = events(of: source).events.compactMap { event, _ -> String? in
      guard case .text(let text) = event, !text.allSatisfy(\.isWhitespace) else { return nil }
      return text
    }
    return texts.firstIndex(of: "_XCCurrentVersionName").flatMap { texts[($0 + 1)...].first }
  }

  /// No events, and the error, for a document that is not well-formed.
  private static func events(of source: SourceText) -> (
    events: [(MarkupEvent, line: Int)], error: XMLError?
  ) {
    var events: [(MarkupEvent, line: Int)] = []
    let outcome = XMLEvents().read(source.bytes) {
      events = []
      return { event, place in
        events.append((event, place.line))
        return .read
      }
    }
    return (outcome.error == nil ? events : [], outcome.error)
  }

  private struct Reader {
    let source: SourceText
    private var uses: [AppUse] = []
    var isModel = false
    /// Whether the model, or a configuration of it, is marked "Used with CloudKit".
    var isForCloudKit = false
    private var entity: String?
    /// The record types of the entities in the configurations for CloudKit.
    private var members: Set<String> = []
    private var isMemberList = false
    /// The record type of each entity's parent.
    private var parents: [String: String] = [:]
    /// The relations to many, each with its inverse and its place.
    private var toMany: [String: (inverse: String, place: SourceRange)] = [:]

    /// The uses that are synced: with configurations for CloudKit, those of their entities.
    var synced: [AppUse] {
      var found = uses.filter { members.isEmpty || members.contains($0.recordType ?? "") }
      for index in found.indices {
        // A model whose entities are each other's parents is not valid.
        for _ in parents {
          if let parent = parents[found[index].recordType ?? ""] { found[index].recordType = parent }
        }
      }
      let linked = toMany.values.filter { toMany[$0.inverse] != nil }.map(\.place)
      guard let place = linked.min(by: { $0.start < $1.start }) else { return found }
      return found + [use(.type, "CDMR", nil, nil, place)]
        + ["CD_entityNames", "CD_recordNames", "CD_relationships"].map {
          use(.field, "CDMR", $0, .string, place)
        }
    }

    init(source: SourceText) { self.source = source }

    mutating func read(_ event: MarkupEvent, line: Int) {
      guard case .start(let name, let attributes) = event else { return }
      let values = Dictionary(attributes.map { ($0.name, $0.value) }) { first, _ in first }
      let mark = values["usedWithCloudKit"]
      let isMarked = mark == "YES" || mark == "true"
      if isMarked { isForCloudKit = true }
      let place = source.place(of: values["name"] ?? "", line: line)
      switch name {
      case "model": isModel = true
      case "configuration": isMemberList = isMarked
      case "memberEntity": if isMemberList, let name = values["name"] { members.insert("CD_\(name)") }
      case "entity":
        entity = values["name"]
        if let name = entity, let parent = values["parentEntity"] { parents["CD_\(name)"] = "CD_\(parent)" }
        guard values["isAbstract"] != "YES" else { break }
        add(.type, nil, nil, place)
        add(.field, "CD_entityName", .string, place)
      case "attribute" where values["transient"] != "YES":
        guard let name = values["name"] else { break }
        let encrypted = values["allowsCloudEncryption"] == "YES"
        let type = type(values["attributeType"], encrypted)
        add(.field, "CD_\(name)", type, place)
        if type?.primitive == .plain(.bytes) || type?.primitive == .encrypted(.bytes) {
          // With external storage the model says that values are large.
          let isLarge = values["allowsExternalBinaryDataStorage"] == "YES"
          add(.field, "CD_\(name)_ckAsset", .asset, place, largeValues: isLarge ? .error : .warning)
        }
      case "relationship" where values["transient"] != "YES":
        guard let name = values["name"] else { break }
        guard values["toMany"] == "YES" else { return add(.field, "CD_\(name)", .string, place) }
        let inverse = "\(values["inverseEntity"] ?? "").\(values["inverseName"] ?? "")"
        toMany["\(entity ?? "").\(name)"] = (inverse, place)
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

    private mutating func add(
      _ kind: AppUse.Kind, _ field: String?, _ type: DataType?, _ place: SourceRange,
      largeValues: Diagnostic.Severity? = nil
    ) {
      guard let entity else { return }
      uses.append(use(kind, "CD_\(entity)", field, type, place, largeValues))
    }

    private func use(
      _ kind: AppUse.Kind, _ recordType: String, _ field: String?, _ type: DataType?, _ place: SourceRange,
      _ largeValues: Diagnostic.Severity? = nil
    ) -> AppUse {
      AppUse(
        kind: kind, recordType: recordType, field: field, dataType: type, isMade: kind == .type,
        largeValues: largeValues, place: place)
    }
  }
}

extension SourceText {
  fileprivate func line(_ number: Int) -> SourceRange {
    range(lineRange(around: lineStart(number), reach: 200))
  }

  /// The value of the attribute `name` on a line; the line, where it is not there.
  fileprivate func place(of name: String, line number: Int) -> SourceRange {
    let line = line(number)
    for quote in ["\"", "'"] {
      let words = Array(" name=\(quote)\(name)\(quote)".utf8)
      if let found = bytes[line.offsets].firstRange(of: words) {
        return range(found.upperBound - 1 - name.utf8.count..<found.upperBound - 1)
      }
    }
    return line
  }
}
