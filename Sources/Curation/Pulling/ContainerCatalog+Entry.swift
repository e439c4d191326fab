internal import Catalog
internal import CloudKitModel
internal import Diagnostics

extension ContainerCatalog {
  struct Entry {
    let kind: SeedKind
    let slug: String
    let record: Record
    /// What the files say of the entry; `nil` if they do not have it.
    let file: SeedValues?
    var values = SeedValues()
    var isAsDeclared = false
    /// Keys whose value in the container no seed may have. The files keep theirs.
    var unusable: Set<String> = []

    var key: String { kind.key(slug) }
    var recordName: String { record.recordName }
    /// Whether the seeds already have the entry.
    var isKnown: Bool { file != nil }
    /// Whether only a `recordName` in the seed finds the record.
    var needsRecordName: Bool {
      record.ownSlug != slug && recordName != kind.derivedRecordName(slug: slug, values)
    }

    /// The feeds that the entry of the files names.
    var listed: [String]? {
      kind == .collection ? file?["feeds"]?.strings : file?["replacedBy"]?.string.map { [$0] }
    }
  }
}
