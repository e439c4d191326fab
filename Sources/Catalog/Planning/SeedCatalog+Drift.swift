package import CloudKitModel

extension SeedCatalog {
  /// What an edit of a record means for its seed, in one sentence; `nil` when no seed declares the record, or no field that
  /// editors own. A slug that is set is the record's identity, not a value that the seed has otherwise.
  package func driftWarning(of record: Record, setting names: Set<String>) -> String? {
    guard let kind = SeedKind(recordType: record.recordType),
      let slug = slug(of: record, kind)
    else { return nil }
    let owned = names.intersection(fields.recordFields(of: kind)).subtracting(["slug"]).sorted()
    guard !owned.isEmpty else { return nil }
    return
      "The seed '\(slug)' declares \(owned.joined(separator: ", ")): the next 'seed apply' writes its values back. "
      + "Change the seed too, or run 'celestra-admin seed pull'."
  }

  /// The seed that declares a record: by record name, slug or URL.
  private func slug(of record: Record, _ kind: SeedKind) -> String? {
    let name = record.recordName
    let entries = entries(kind)
    if let pinned = entries.first(where: { $0.recordName == name }) { return pinned.slug }
    let slug = record["slug"]?.string
    return entries.first { entry in
      guard entry.recordName == nil else { return false }
      if entry.slug == slug { return true }
      switch entry {
      case let feed as SeedFeed:
        let isFree = slug.map(\.isEmpty) ?? true
        return isFree
          && WebAddress.normalized(feed.feedURL) == WebAddress.normalized(record["feedURL"]?.string ?? "")
      case is SeedCollection: return CatalogRecordNames.collection(slug: entry.slug) == name
      default: return CatalogRecordNames.category(slug: entry.slug) == name
      }
    }?.slug
  }
}
