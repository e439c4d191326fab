package import CloudKitModel

extension SeedCatalog {
  /// What an edit of a record means for its seed, in one sentence; `nil` when no seed declares the record, or no field that
  /// editors own. A slug that is set is the record's identity, not a value that the seed has otherwise.
  ///
  /// - Parameter values: by field; `nil` for one that is emptied.
  package func driftWarning(of record: Record, setting values: [String: FieldValue?]) -> String? {
    guard let kind = SeedKind(recordType: record.recordType), let seed = seed(of: record, kind) else {
      return nil
    }
    let owned = fields[kind].compactMap { field -> String? in
      guard let name = field.recordField, name != "slug", let value = values[name] else { return nil }
      // Emptied in the record, and empty in the seed.
      return value == nil && seed.values.published(field) == nil ? nil : name
    }.sorted()
    guard !owned.isEmpty else { return nil }
    return
      "The seed '\(seed.slug)' decides \(owned.joined(separator: ", ")): the next 'seed apply' writes its values back. "
      + "Change the seed too, or run 'celestra-admin seed pull'."
  }

  /// The seed that declares a record: by record name, slug or URL.
  private func seed(of record: Record, _ kind: SeedKind) -> (any SeedEntry)? {
    let name = record.recordName
    let entries = entries(kind)
    if let pinned = entries.first(where: { $0.recordName == name }) { return pinned }
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
    }
  }
}
