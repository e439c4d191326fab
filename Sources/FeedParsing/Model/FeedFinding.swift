/// A problem that the publisher of a feed can fix, with a stable code.
public struct FeedFinding: Sendable, Hashable {
  public let code: Code
  /// One sentence without a period.
  public let message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// Codes are stable and never reused. FP01xx: document; FP02xx: encoding; FP03xx: content; FP04xx: limits.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    case illFormed = "FP0101"
    case notAFeed = "FP0102"
    case htmlPage = "FP0103"
    case empty = "FP0104"
    case externalDeclaration = "FP0105"
    case undefinedEntity = "FP0106"
    case undeclaredPrefix = "FP0107"
    case encodingMismatch = "FP0201"
    case unknownEncoding = "FP0202"
    case contentType = "FP0203"
    case unreadableDate = "FP0301"
    case missingID = "FP0302"
    case duplicateID = "FP0303"
    case jsonShape = "FP0304"
    case tooManyBytes = "FP0401"
    case startTagTooLong = "FP0402"
    case tooDeep = "FP0403"
    case tooManyItems = "FP0404"
    case textTruncated = "FP0405"
    case entityExpansion = "FP0406"
    case linkExpansion = "FP0407"
  }
}

/// Collects findings, only the first of each code: ten thousand unreadable dates are one finding.
struct FindingList {
  private(set) var list: [FeedFinding]

  init(_ list: [FeedFinding] = []) { self.list = list }

  mutating func add(_ code: FeedFinding.Code, _ message: @autoclosure () -> String) {
    guard !contains(code) else { return }
    list.append(FeedFinding(code, message()))
  }

  func contains(_ code: FeedFinding.Code) -> Bool { list.contains { $0.code == code } }
}
