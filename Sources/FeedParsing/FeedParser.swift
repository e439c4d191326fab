internal import XMLReading

/// Parses a feed of any dialect: in XML in a strict pass, and in a second, lenient one if the first fails.
package enum FeedParser {
  /// The feed, as far as it could be parsed. Never fails: for input that is not a feed, the format is
  /// ``FeedFormat/unknown`` and a finding gives the reason.
  ///
  /// - Parameters:
  ///   - baseURL: the absolute URL of the document, which relative links are resolved against.
  package static func parse(
    _ bytes: some Sequence<UInt8>, contentType: String? = nil, baseURL: String? = nil,
    limits: FeedLimits = FeedLimits()
  ) -> ParsedFeed {
    let limits = limits.bounded
    let contentType = ContentType(contentType)
    let baseURL = baseURL?.nonEmpty
    let whole = Array(bytes)
    let document = whole.prefix(limits.bytes)
    var feed = document.withUnsafeBufferPointer { document in
      JSONFeedReader.looksLikeJSON(document)
        ? JSONFeedReader(limits: limits, baseURL: baseURL).read(document, contentType)
        : XMLFeedReader(limits: limits, contentType: contentType, baseURL: baseURL).read(document)
    }
    feed.documentURL = baseURL
    var findings = FeedFindingList(feed.diagnostics)
    if document.count < whole.count {
      // The document was cut here, not by its author.
      findings.remove(.illFormed)
      findings.remove(.cutDocument)
      findings.add(.tooManyBytes, "only the first \(limits.bytes) bytes were read")
      feed.wellFormed = false
      feed.recovered = feed.format != .unknown
    }
    if let contentType, !contentType.isFeedLike {
      findings.add(.contentType, "unexpected Content-Type '\(contentType.mediaType)'")
    }
    if document.allSatisfy(\.isSpace) {
      findings.add(.empty, "the document is empty")
    } else if feed.format == .unknown {
      findings.add(.notAFeed, "this is not a feed in any supported format")
    }
    if feed.items.records.contains(where: { !$0.idIsDeclared }) {
      findings.add(.missingID, "an item has no id of its own")
    }
    if feed.bridgeErrors > 0 {
      findings.add(.bridgeError, "an entry reports an error of the program that makes the feed")
    }
    if !feed.items.haveDistinctIDs {
      findings.add(.duplicateID, "several items have the same id")
    }
    feed.diagnostics = findings.list
    return feed
  }
}

extension ContentType {
  /// False for media types that no feed has.
  fileprivate var isFeedLike: Bool {
    // The end is compared first, because nearly all have this one, and a search in a string takes far longer.
    mediaType.isEmpty || mediaType.hasSuffix("xml") || mediaType == "application/octet-stream"
      || ["xml", "json", "rss", "atom"].contains { mediaType.contains($0) }
  }
}
