import CloudKitModel
import Diagnostics
import RecordChanges
import SchemaLanguage

/// Finds references to records that do not exist, and records that lack a reference they need.
struct DanglingReferenceRule: VerificationRule {
  private let reference: VerifiedReference
  private var names: Set<String> = []
  /// Sources by the name they point to.
  private var mentions: [String: RecordNameSample] = [:]
  /// Sources that name nothing.
  private var unlinked = RecordNameSample()

  init(_ reference: VerifiedReference) { self.reference = reference }

  var keys: [String: [String]] {
    var keys = Dictionary(uniqueKeysWithValues: reference.targets.map { ($0, [String]()) })
    keys[reference.source] = [reference.field]
    return keys
  }

  mutating func visit(_ record: Record) {
    if reference.targets.contains(record.recordType) { names.insert(record.recordName) }
    guard record.recordType == reference.source else { return }
    let linked = (record[reference.field]?.referredNames ?? []).filter { !$0.isEmpty }
    if linked.isEmpty { unlinked.add(record.recordName) }
    // Names that start with an underscore belong to users and system records, and are private.
    for name in linked.unique where !name.hasPrefix("_") {
      mentions[name, default: RecordNameSample()].add(record.recordName)
    }
  }

  func findings(_ existence: RecordExistenceCheck) async throws -> [Diagnostic] {
    let unknown = mentions.keys.filter { !names.contains($0) }
    let dangling = try await existence.missing(among: unknown).compactMap { name in
      mentions[name].map { finding(missing: name, $0, existence) }
    }
    return dangling + (reference.code == .orphan && unlinked.count > 0 ? [unlinkedFinding] : [])
  }

  private var unlinkedFinding: Diagnostic {
    let first = unlinked.examples.first ?? ""
    return Diagnostic(
      reference.code, "\(reference.field) of \(text(of: unlinked)) is empty",
      help: reference.correction == .fix
        ? "delete what belongs to no feed: \(VerificationHelp.deletingFix)"
        : reference.hidesSources
          ? "find them, then correct or delete them: \(VerificationHelp.export(reference.source))"
          : "set the field: \(VerificationHelp.update(reference.source, first))")
  }

  private func text(of mentions: RecordNameSample) -> String {
    reference.hidesSources
      ? counted(mentions.count, "\(reference.source) record") : mentions.text(of: reference.source)
  }

  private var target: String {
    reference.targets.isEmpty ? "record" : reference.targets.joined(separator: " or ")
  }

  private func finding(
    missing name: String, _ mentions: RecordNameSample, _ existence: RecordExistenceCheck
  ) -> Diagnostic {
    Diagnostic(
      reference.code,
      "\(reference.field) of \(text(of: mentions)) names '\(name)', and no \(target) has this name",
      help: help(missing: name, mentions, existence))
  }

  private func help(
    missing name: String, _ mentions: RecordNameSample, _ existence: RecordExistenceCheck
  ) -> String {
    let edit = VerificationHelp.update(reference.source, mentions.examples.first ?? "")
    let restoring =
      "restore the \(target): undo the run that deleted it, if 'celestra-admin history' lists it, "
      + "or give a seed without a record this recordName and apply it; or delete the subscriptions"
    return switch reference.correction {
    case .seeds: "correct the seeds and run 'celestra-admin seed apply'; without a seed: \(edit)"
    case .fix where existence.subscribed.contains(name):
      "people subscribe to it: \(restoring), and then this record with '\(VerificationHelp.deletingFix)'"
    case .fix where existence.unread.contains(CatalogRecordType.feedSubscription):
      "whether people subscribe to it is unknown, because \(CatalogRecordType.feedSubscription) was not read, or has no feedRecordName: where 'celestra-admin container verify' can read both, it says what to do"
    case .fix: "delete it: \(VerificationHelp.deletingFix)"
    case .delete:
      "delete what belonged to it: \(VerificationHelp.delete(reference.source, where: reference.field, is: name))"
    case .restoreOrPrune:
      "\(restoring): celestra-admin recount subscribers --prune-orphans \(VerificationHelp.accepted)"
    case .edit: "correct the field: \(edit)"
    }
  }
}

struct CategoryCycleRule: VerificationRule {
  private var parents: [String: String] = [:]

  var keys: [String: [String]] { [CatalogRecordType.feedCategory: ["parentCategory"]] }

  mutating func visit(_ record: Record) {
    guard record.recordType == CatalogRecordType.feedCategory else { return }
    parents[record.recordName] = record["parentCategory"]?.reference?.recordName
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    parents.circles(from: parents.keys.sorted()).map { circle in
      Diagnostic(
        VerificationCode.cyclicParent,
        "the parents of category \(circle[0]) lead back to it: \((circle + [circle[0]]).joined(separator: " → "))",
        help: "correct the seeds and run 'celestra-admin seed apply'; without a seed: "
          + VerificationHelp.update(CatalogRecordType.feedCategory, circle[0]))
    }
  }
}

extension [String: String] {
  /// The circles that following parents leads into, each once, from the member that is reached first.
  func circles(from starts: [String]) -> [[String]] {
    var judged: Set<String> = []
    return starts.compactMap { start in
      var path: [String] = []
      var next: String? = start
      while let name = next, judged.insert(name).inserted {
        path.append(name)
        next = self[name]
      }
      return next.flatMap { path.firstIndex(of: $0) }.map { Array(path[$0...]) }
    }
  }
}

/// A reference that verification follows, with what it says about one that leads nowhere.
struct VerifiedReference: Hashable {
  var source: String
  var field: String
  /// The types of the records it may name; empty for any type.
  var targets: [String]
  var code = VerificationCode.danglingReference
  /// Whether the sources' own names stay out of messages, because each is derived from a person.
  var hidesSources = false
  var correction = Correction.edit

  enum Correction {
    /// The seeds declare the field.
    case seeds
    /// `container verify --fix` does it.
    case fix
    /// The source records are useless without their target: delete them.
    case delete
    /// Subscriptions: only a recount may delete them.
    case restoreOrPrune
    case edit
  }

  /// The reference fields of a schema: the catalog's own, and every other REFERENCE field.
  static func all(in schema: Schema) -> [VerifiedReference] {
    ReferenceFields(CatalogReferences.all, in: schema).all.map { VerifiedReference($0, in: schema) }
  }

  private init(_ reference: ReferenceField, in schema: Schema) {
    (source, field) = (reference.recordType, reference.field)
    targets = reference.targets.filter { schema[recordType: $0] != nil }.sorted()
    switch source {
    case CatalogRecordType.feedCategory, CatalogRecordType.publicFeed, CatalogRecordType.feedCollection:
      correction = targets.isEmpty ? .edit : .seeds
    case CatalogRecordType.feedMetadata where field == "feedReference": (code, correction) = (.orphan, .fix)
    case CatalogRecordType.publicArticle where field == "feedReference",
      CatalogRecordType.cloudArticle where field == "feedRecordName":
      (code, correction) = (.orphan, .delete)
    case CatalogRecordType.feedSubscription where field == "feedRecordName":
      (code, hidesSources, correction) = (.orphan, true, .restoreOrPrune)
    case LiveSessionRecordType.participant where field == "sessionId",
      LiveSessionRecordType.message where field == "sessionId":
      (code, hidesSources, correction) = (.orphan, true, .delete)
    default: break
    }
  }
}
