import CloudKitModel
import Diagnostics

/// Finds links to records that do not exist, and records without the link that they need.
struct LinkRule: VerificationRule {
  private let link: Link
  private var names: Set<String> = []
  /// Sources by the name they point to.
  private var mentions: [String: NameSample] = [:]
  /// Sources that name nothing.
  private var unlinked = NameSample()

  init(_ link: Link) { self.link = link }

  var keys: [String: [String]] {
    var keys = Dictionary(uniqueKeysWithValues: link.targets.map { ($0, [String]()) })
    keys[link.source] = [link.field]
    return keys
  }

  mutating func visit(_ record: Record) {
    if link.targets.contains(record.recordType) { names.insert(record.recordName) }
    guard record.recordType == link.source else { return }
    let linked = (record[link.field]?.linkedNames ?? []).filter { !$0.isEmpty }
    if linked.isEmpty { unlinked.add(record.recordName) }
    for name in linked where !name.isSystemName {
      mentions[name, default: NameSample()].add(record.recordName)
    }
  }

  func findings(_ existence: ExistenceCheck) async throws -> [Diagnostic] {
    let unknown = mentions.keys.filter { !names.contains($0) }
    let dangling = try await existence.missing(among: unknown).compactMap { name in
      mentions[name].map { finding(missing: name, $0) }
    }
    return dangling + (link.code == .orphan && unlinked.count > 0 ? [unlinkedFinding] : [])
  }

  private var unlinkedFinding: Diagnostic {
    let first = unlinked.examples.first ?? ""
    return link.code.finding(
      "\(link.field) of \(text(of: unlinked)) is empty",
      help: link.correction == .fix
        ? "delete what belongs to no feed: \(FindingHelp.fix)"
        : link.hidesSources
          ? "find them, then correct or delete them: \(FindingHelp.export(link.source))"
          : "set the field: \(FindingHelp.update(link.source, first))")
  }

  private func text(of mentions: NameSample) -> String {
    link.hidesSources ? link.source.counted(mentions.count) : mentions.text(of: link.source)
  }

  private var target: String {
    link.targets.isEmpty ? "record" : link.targets.joined(separator: " or ")
  }

  private func finding(missing name: String, _ mentions: NameSample) -> Diagnostic {
    link.code.finding(
      "\(link.field) of \(text(of: mentions)) names '\(name)', and no \(target) has this name",
      help: help(missing: name, mentions))
  }

  private func help(missing name: String, _ mentions: NameSample) -> String {
    let edit = FindingHelp.update(link.source, mentions.examples.first ?? "")
    return switch link.correction {
    case .seeds: "correct the seeds and run 'celestra-admin seed apply'; without a seed: \(edit)"
    case .fix: "delete it, unless people subscribe to '\(name)': \(FindingHelp.fix)"
    case .delete:
      "delete what belonged to it: \(FindingHelp.delete(link.source, where: link.field, is: name))"
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
    case .reference(let reference): [reference.recordName]
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
