import CloudKitModel
import Diagnostics

/// Finds references to records that do not exist, and records that lack a reference they need.
struct DanglingReferenceRule: VerificationRule {
  private let reference: ReferenceField
  private var names: Set<String> = []
  /// Sources by the name they point to.
  private var mentions: [String: RecordNameSample] = [:]
  /// Sources that name nothing.
  private var unlinked = RecordNameSample()

  init(_ reference: ReferenceField) { self.reference = reference }

  var keys: [String: [String]] {
    var keys = Dictionary(uniqueKeysWithValues: reference.targets.map { ($0, [String]()) })
    keys[reference.source] = [reference.field]
    return keys
  }

  mutating func visit(_ record: Record) {
    if reference.targets.contains(record.recordType) { names.insert(record.recordName) }
    guard record.recordType == reference.source else { return }
    let linked = (record[reference.field]?.linkedNames ?? []).filter { !$0.isEmpty }
    if linked.isEmpty { unlinked.add(record.recordName) }
    for name in linked where !name.isSystemName {
      mentions[name, default: RecordNameSample()].add(record.recordName)
    }
  }

  func findings(_ existence: RecordExistenceCheck) async throws -> [Diagnostic] {
    let unknown = mentions.keys.filter { !names.contains($0) }
    let dangling = try await existence.missing(among: unknown).compactMap { name in
      mentions[name].map { finding(missing: name, $0) }
    }
    return dangling + (reference.code == .orphan && unlinked.count > 0 ? [unlinkedFinding] : [])
  }

  private var unlinkedFinding: Diagnostic {
    let first = unlinked.examples.first ?? ""
    return reference.code.finding(
      "\(reference.field) of \(text(of: unlinked)) is empty",
      help: reference.correction == .fix
        ? "delete what belongs to no feed: \(VerificationHelp.fix)"
        : reference.hidesSources
          ? "find them, then correct or delete them: \(VerificationHelp.export(reference.source))"
          : "set the field: \(VerificationHelp.update(reference.source, first))")
  }

  private func text(of mentions: RecordNameSample) -> String {
    reference.hidesSources ? reference.source.counted(mentions.count) : mentions.text(of: reference.source)
  }

  private var target: String {
    reference.targets.isEmpty ? "record" : reference.targets.joined(separator: " or ")
  }

  private func finding(missing name: String, _ mentions: RecordNameSample) -> Diagnostic {
    reference.code.finding(
      "\(reference.field) of \(text(of: mentions)) names '\(name)', and no \(target) has this name",
      help: help(missing: name, mentions))
  }

  private func help(missing name: String, _ mentions: RecordNameSample) -> String {
    let edit = VerificationHelp.update(reference.source, mentions.examples.first ?? "")
    return switch reference.correction {
    case .seeds: "correct the seeds and run 'celestra-admin seed apply'; without a seed: \(edit)"
    case .fix: "delete it, unless people subscribe to '\(name)': \(VerificationHelp.fix)"
    case .delete:
      "delete what belonged to it: \(VerificationHelp.delete(reference.source, where: reference.field, is: name))"
    case .restoreOrPrune:
      "restore the \(target): 'celestra-admin history' lists the runs to undo; "
        + "or delete the subscriptions: celestra-admin recount subscribers --prune-orphans"
    case .edit: "correct the field: \(edit)"
    }
  }
}

extension FieldValue {
  /// The record names in a REFERENCE, a STRING or a list of either.
  fileprivate var linkedNames: [String] {
    switch self {
    case .reference(let value): [value.recordName]
    case .string(let text): [text]
    case .list(_, let values): values.flatMap(\.linkedNames)
    default: []
    }
  }
}

extension String {
  /// Ignore names that start with an underscore: they belong to users and system records, and are private.
  fileprivate var isSystemName: Bool { hasPrefix("_") }
}
