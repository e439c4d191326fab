import CloudKitModel
import Diagnostics

/// Every record name that a link's field holds is the name of a record.
struct LinkRule: VerificationRule {
  private let link: Link
  private var names: Set<String> = []
  /// Sources by the name they point to.
  private var mentions: [String: Mentions] = [:]

  init(_ link: Link) { self.link = link }

  var keys: [String: [String]] {
    var keys = Dictionary(uniqueKeysWithValues: link.targets.map { ($0, [String]()) })
    keys[link.source] = [link.field]
    return keys
  }

  mutating func visit(_ record: Record) {
    if link.targets.contains(record.recordType) { names.insert(record.recordName) }
    guard record.recordType == link.source else { return }
    for name in record[link.field]?.linkedNames ?? [] where !name.isSystemName {
      mentions[name, default: Mentions()].add(record.recordName)
    }
  }

  func findings(_ existence: ExistenceCheck) async throws -> [Diagnostic] {
    let unknown = mentions.keys.filter { !names.contains($0) }
    return try await existence.missing(among: unknown).compactMap { name in
      mentions[name].map { finding(missing: name, $0) }
    }
  }

  private func finding(missing name: String, _ mentions: Mentions) -> Diagnostic {
    let sources = link.hidesSources ? link.source.counted(mentions.count) : mentions.text(of: link.source)
    let target = link.targets.isEmpty ? "record" : link.targets.joined(separator: " or ")
    return link.code.finding(
      "\(link.field) of \(sources) names '\(name)', and there is no such \(target)",
      help: link.code == .orphan
        ? "restore the \(target), or delete what belonged to it"
        : "correct the field, or restore the \(target)")
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
  /// Names of users and of the system's own records start with an underscore. They are nobody's business.
  fileprivate var isSystemName: Bool { hasPrefix("_") }
}
