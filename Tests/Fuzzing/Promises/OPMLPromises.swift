internal import Catalog
internal import Curation
internal import Diagnostics

/// What the reader of OPML promises for any bytes at all.
package enum OPMLPromises {
  /// The promise that these bytes break, in words; `nil` when all are kept.
  package static func broken(by bytes: [UInt8]) -> String? {
    let file = OPMLFile(name: "list.opml", bytes)
    if file.outlines < file.entries.count + file.folders + file.skipped + file.unusable {
      return "an outline is counted twice"
    }
    for entry in file.entries {
      if let url = entry.feedURL, let problem = WebAddress.problem(with: url) {
        return "the feed address '\(url)' cannot be used: \(problem)"
      }
    }
    for finding in file.diagnostics {
      if let range = finding.range, range.offsets.upperBound > range.source.bytes.count {
        return "a finding points outside the text: \(finding.message)"
      }
    }
    if file.diagnostics.count > 2000 { return "the file has \(file.diagnostics.count) findings" }
    return OPMLFile(name: "list.opml", bytes).entries == file.entries
      ? nil : "reading twice gives two results"
  }
}
