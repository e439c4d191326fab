internal import CloudKitModel
internal import Cryptography
package import FeedFetching
public import FeedState

/// Which document the stored articles of a feed cover: the value of `articlesValidator`
/// (Documentation/reference/articles.md#coverage).
struct ArticleCoverage {
  private let version: String
  private let content: String
  private let validators: String
  let items: String
  let body: String

  /// `nil` for an absent or unreadable value.
  init?(_ stored: String?) {
    let parts = (stored ?? "").split(separator: ";", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5 else { return nil }
    (version, content, validators, items, body) = (parts[0], parts[1], parts[2], parts[3], parts[4])
  }

  init(_ validators: FeedValidators, items: String, body: String, _ options: ArticleOptions) {
    version = String(ArticleOptions.rulesVersion)
    content = options.content.rawValue
    self.validators = Self.digest(validators)
    self.items = items
    self.body = body
  }

  var text: String { [version, content, validators, items, body].joined(separator: ";") }

  /// Whether a document of these bytes needs no work.
  func covers(body: String, _ options: ArticleOptions) -> Bool { isCurrent(options) && body == self.body }

  /// Whether a document with these items needs no work.
  func covers(items: String, _ options: ArticleOptions) -> Bool { isCurrent(options) && items == self.items }

  /// Whether a 304 to these validators loses nothing.
  func covers(_ validators: FeedValidators, _ options: ArticleOptions) -> Bool {
    isCurrent(options) && self.validators == Self.digest(validators)
  }

  private func isCurrent(_ options: ArticleOptions) -> Bool {
    version == String(ArticleOptions.rulesVersion) && content == options.content.rawValue
  }

  private static func digest(_ validators: FeedValidators) -> String {
    String(SHA256.hex("\(validators.etag ?? "")\n\(validators.lastModified ?? "")").prefix(16))
  }
}

/// What storing a document's items left behind for the feed's state.
public struct StoredDocument: Sendable, Hashable {
  /// Every item of the document is stored, or can never be.
  var isComplete: Bool
  var itemsDigest: String
  var bodyDigest: String
  /// Digests of the document's items without a usable date.
  var undated: [Int64] = []

  private static let maxUndated = 500

  /// Puts into a feed's new state which document the articles cover.
  ///
  /// - Parameters:
  ///   - previous: the state before the document was fetched.
  ///   - keepsCoverage: whether the state has a field for it; without one the validators say it, which stay those of the
  ///     last complete document.
  public func record(
    in next: inout FeedMetadata, after previous: FeedMetadata, keepsCoverage: Bool, _ options: ArticleOptions
  ) {
    let older = next.undatedItems.filter { !undated.contains($0) }
    next.undatedItems = Array((undated + older).prefix(Self.maxUndated))
    guard keepsCoverage else {
      if !isComplete { (next.etag, next.lastModified) = (previous.etag, previous.lastModified) }
      return
    }
    next.articlesValidator =
      isComplete
      ? ArticleCoverage(next.validators, items: itemsDigest, body: bodyDigest, options).text : nil
  }
}

extension ArticleOptions {
  /// The validators to send for a feed: those of a document whose articles are stored, else none, so that the server
  /// sends the document.
  ///
  /// - Parameter keepsCoverage: see ``StoredDocument/record(in:after:keepsCoverage:_:)``.
  package func validators(of metadata: FeedMetadata, keepsCoverage: Bool) -> FeedValidators {
    let isCovered = ArticleCoverage(metadata.articlesValidator)?.covers(metadata.validators, self) ?? false
    // Without the field, only a profile with shared validators says that the articles are stored.
    return isCovered || !keepsCoverage && mapping.isShared ? metadata.validators : FeedValidators()
  }

  /// After a 304 the articles cover the same document, whose validators the answer may have renewed.
  package func recordNotModified(in next: inout FeedMetadata, after previous: FeedMetadata) {
    guard let coverage = ArticleCoverage(previous.articlesValidator),
      coverage.covers(previous.validators, self)
    else { return }
    next.articlesValidator =
      ArticleCoverage(
        next.validators, items: coverage.items, body: coverage.body, self
      ).text
  }
}
