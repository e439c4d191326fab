internal import Diagnostics

extension LoadedSeeds {
  /// Whether a finding is about a slug that no entry has.
  package var hasUnknownSlugs: Bool { diagnostics.contains { $0.unknownSlug != nil } }

  /// The seeds with findings that say what became of unknown slugs since an earlier state of the folder.
  ///
  /// - Parameters:
  ///   - former: the files of that state, which may have mistakes.
  ///   - time: when that was: `at the last commit`.
  package func explained(by former: [SeedFile], _ time: String) -> LoadedSeeds {
    let diagnostics = diagnostics.map { finding -> Diagnostic in
      guard let (slug, kind) = finding.unknownSlug,
        let before = former.entry(of: slug, kind), let range = finding.range
      else { return finding }
      let now = files.entry(like: before.entry, kind)
      let help =
        now.map { "It is '\($0)' now: \(before.path) had it as '\(slug)' \(time)." }
        ?? "\(before.path) had it \(time). Remove it here, too, or restore it there."
      return Diagnostic(
        finding.code, finding.severity, finding.message, at: range, notes: finding.notes, help: help,
        fix: now.map { Diagnostic.Fix(replacing: range, with: "\"\($0)\"") })
    }
    return LoadedSeeds(catalog: catalog, diagnostics: diagnostics, files: files)
  }
}

extension Diagnostic {
  /// The slug that no entry has, and of which kind it should be.
  fileprivate var unknownSlug: (slug: String, kind: SeedKind)? {
    guard let range, message.hasSuffix(SeedConsistencyChecks.notFound) else { return nil }
    let slug = String(range.source.text(in: range.offsets).dropFirst().dropLast())
    switch code {
    case SeedRule.unknownCategory.code: return (slug, .category)
    case SeedRule.unknownFeed.code, SeedRule.badReplacement.code: return (slug, .feed)
    default: return nil
    }
  }
}

extension [SeedFile] {
  fileprivate func entry(of slug: String, _ kind: SeedKind) -> (path: String, entry: JSONNode)? {
    for file in self where file.kind == kind {
      if let entry = file.entries.first(where: { file.slug(of: $0) == slug }) { return (file.path, entry) }
    }
    return nil
  }

  /// The slug of the entry that is the same as one of an earlier state: by its pinned record, address or name.
  fileprivate func entry(like former: JSONNode, _ kind: SeedKind) -> String? {
    let keys: [(JSONNode) -> String?] = [
      { $0["recordName"]?.string }, { ($0["feedURL"]?.string).map(WebAddress.normalized) },
      { ($0["title"] ?? $0["name"])?.string },
    ]
    for key in keys {
      guard let value = key(former) else { continue }
      for file in self where file.kind == kind {
        guard let entry = file.entries.first(where: { key($0) == value }) else { continue }
        return file.slug(of: entry).flatMap { Slug.isValid($0) ? $0 : nil }
      }
    }
    return nil
  }
}
