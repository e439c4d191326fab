import CloudKitModel
import Diagnostics

/// Finds categories that are their own ancestors.
struct CategoryCycleRule: VerificationRule {
  private var parents: [String: String] = [:]

  var keys: [String: [String]] { [CatalogRecordType.feedCategory: ["parentCategory"]] }

  mutating func visit(_ record: Record) {
    guard record.recordType == CatalogRecordType.feedCategory else { return }
    parents[record.recordName] = record["parentCategory"]?.reference?.recordName
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    var judged: Set<String> = []
    return parents.keys.sorted().compactMap { start in
      guard let cycle = cycle(from: start, &judged) else { return nil }
      return VerificationCode.cyclicParent.finding(
        "the parents of category \(cycle[0]) lead back to it: \((cycle + [cycle[0]]).joined(separator: " → "))",
        help: "correct the seeds and run 'celestra-admin seed apply'; without a seed: "
          + VerificationHelp.update(CatalogRecordType.feedCategory, cycle[0]))
    }
  }

  /// The cycle that following parents from `start` runs into, unless it was judged before.
  private func cycle(from start: String, _ judged: inout Set<String>) -> [String]? {
    var path: [String] = []
    var next: String? = start
    while let name = next, judged.insert(name).inserted {
      path.append(name)
      next = parents[name]
    }
    guard let name = next, let first = path.firstIndex(of: name) else { return nil }
    return Array(path[first...])
  }
}
