internal import CloudKitModel
public import Diagnostics

extension HealthRunResult {
  /// `--format junit`: each feed is a test case. An unhealthy feed fails; a feed that was not checked, or was checked
  /// during our own outage, is skipped.
  public var junit: JUnitDocument {
    let cases = feeds.map { testCase(for: $0) } + skipped.map(\.testCase)
    return JUnitDocument(name: "celestra-admin", suites: [.init(name: "feed health", cases: cases)])
  }

  private func testCase(for feed: FeedResult) -> JUnitDocument.Case {
    let name = feed.feedURL.isEmpty ? feed.recordName : feed.feedURL
    if localOutage { return JUnitDocument.Case(name: name, skipped: Self.outageMessage) }
    return JUnitDocument.Case(name: name, failure: feed.status.isTroubled ? feed.junitFailure : nil)
  }
}

extension FeedResult {
  fileprivate var junitFailure: JUnitDocument.Failure {
    JUnitDocument.Failure(
      type: status.rawValue, message: reasons.map(\.explanation).joined(separator: "; "),
      body: (reasons.map(\.line) + particulars).joined(separator: "\n"))
  }
}

extension SkippedFeed {
  fileprivate var testCase: JUnitDocument.Case {
    JUnitDocument.Case(name: feedURL.isEmpty ? recordName : feedURL, skipped: reason.explanation)
  }
}
