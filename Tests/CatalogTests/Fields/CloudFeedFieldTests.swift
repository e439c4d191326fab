import Foundation
import Testing

@testable import Catalog

/// The reference shows the table of celestra-cloud's fields as it is.
@Suite struct CloudFeedFieldTests {
  @Test("catalog.md has a row for each field of Feed: what seeds and jobs write, and what it is read as")
  func page() throws {
    let file = RepositoryFile.root.appending(path: "Documentation/reference/catalog.md")
    let page = try String(contentsOf: file, encoding: .utf8)
    let begin = try #require(page.range(of: "<!-- fields of Feed -->"))
    let end = try #require(page.range(of: "<!-- end of fields of Feed -->"))
    let recorded = page.replacingCharacters(
      in: begin.upperBound..<end.lowerBound, with: "\n\(Self.table)\n")
    if ProcessInfo.processInfo.environment["RECORD_DOCUMENTATION"] != nil {
      try recorded.write(to: file, atomically: true, encoding: .utf8)
    }
    let written = try String(contentsOf: file, encoding: .utf8)
    #expect(written == recorded, "stale: run RECORD_DOCUMENTATION=1 swift test --filter CloudFeedFieldTests")
  }

  private static var table: String {
    let rows = CloudFeedField.all.map { field in
      [
        field.label, field.seeds.words(of: field), field.job.map { "`\($0.rawValue)`" } ?? "",
        field.meaning.words,
      ]
      .joined(separator: " | ")
    }
    return (["Field | Seeds write | Written by | Read as", "--- | --- | --- | ---"] + rows).map {
      "| \($0) |"
    }
    .joined(separator: "\n")
  }
}

extension CloudFeedField {
  fileprivate var label: String {
    switch version {
    case nil: "`\(name)`"
    case .december2025: "`\(name)`, in December 2025"
    case .may2026: "`\(name)`, since May 2026"
    }
  }
}

extension CloudFeedField.Seeds {
  fileprivate func words(of field: CloudFeedField) -> String {
    switch self {
    case .nothing: "never"
    case .sameKey where SeedFields.celestra.feed.contains { $0.key == field.name && $0.usual != nil }:
      "the seed's value or its default"
    case .sameKey: "the seed's value; one that the seed leaves out stays"
    case .category: "the name of the seed's category, as the apps write it"
    case .address:
      "in a new record, and in one that the seed names by `recordName` and that has another address"
    case .activity: "1 in a new record; 0 for a retired feed; never back to 1"
    case .newFromKey(let key) where key == field.name: "only in a new record"
    case .newFromKey(let key): "`\(key)`, only in a new record"
    case .new(let number): "\(number), only in a new record"
    }
  }
}

extension CloudFeedField.Meaning {
  fileprivate var words: String {
    switch self {
    case .address: "the address of the feed"
    case .title: "its title"
    case .site: "the site that is asked when the feed is gone"
    case .category: "the group in `status`, and what `--category` names"
    case .readers: "the readers in `status`, and a part of the score"
    case .score: "the score in `status`"
    case .isVerified: "a part of the score with `--profile celestra`"
    case .activity: "0: the feed is neither checked nor shown"
    case .minimumInterval: "seconds between two checks, at most a day"
    case .lastVerified: "the last success, which moves once a day"
    case .fact(let name): "`FeedMetadata.\(name)`"
    case .validator(let name): "`FeedMetadata.\(name)`, only by runs that store articles"
    case .notRead: "not read"
    }
  }
}
