package import Diagnostics

/// The rules that `container verify` checks. An example is records, a JSON object a line as `records export` writes
/// them; all other references of the records are in order.
package enum VerificationRules {
  package static let all = VerificationCode.rules
}

extension VerificationCode {
  package var rule: Rule {
    switch self {
    case .danglingReference:
      rule(
        "dangling-reference", .error, "A reference names a record that does not exist",
        why:
          "An app that follows the reference finds nothing. CloudKit checks only the targets of VALIDATE "
          + "references.",
        example: #"""
          {"recordType": "PublicFeed", "recordName": "feed", "fields": {"category": {"value": {"recordName": "news"}}}}
          """#,
        useInstead: #"""
          {"recordType": "FeedCategory", "recordName": "news", "fields": {}}
          {"recordType": "PublicFeed", "recordName": "feed", "fields": {"category": {"value": {"recordName": "news"}}}}
          """#,
        source: Rule.reference("catalog", "links"))
    case .orphan:
      rule(
        "orphan", .warning,
        "A record belongs to a record that does not exist, or does not name the record it belongs to",
        why:
          "Metadata, articles, subscriptions, participants and messages are useless without the record they "
          + "belong to. They stay when that record is deleted.",
        example: #"""
          {"recordType": "FeedMetadata", "recordName": "metadata", "fields": {"feedReference": {"value": {"recordName": "feed"}}}}
          """#,
        useInstead: #"""
          {"recordType": "PublicFeed", "recordName": "feed", "fields": {}}
          {"recordType": "FeedMetadata", "recordName": "metadata", "fields": {"feedReference": {"value": {"recordName": "feed"}}}}
          """#,
        help: "Restore the missing record, or delete the records that belonged to it.",
        source: Rule.reference("catalog", "links"))

    case .duplicateFeedURL:
      rule(
        "duplicate-feed-record", .error, "Several feed records have the same URL",
        why:
          "Subscribers of one feed are divided between the records. Only record names are unique in CloudKit.",
        example: #"""
          {"recordType": "PublicFeed", "recordName": "a", "fields": {"feedURL": {"value": "https://example.com/feed"}}}
          {"recordType": "PublicFeed", "recordName": "b", "fields": {"feedURL": {"value": "HTTPS://example.com:443/feed"}}}
          """#,
        useInstead: #"""
          {"recordType": "PublicFeed", "recordName": "a", "fields": {"feedURL": {"value": "https://example.com/feed"}}}
          """#,
        help: "Keep the record that subscriptions name, and delete the others.",
        source: Rule.reference("catalog", "uniqueness"))
    case .duplicateMetadata:
      rule(
        "duplicate-metadata", .error, "Several FeedMetadata records belong to one feed",
        why: "Jobs write one of them, and an app may read another.",
        example: #"""
          {"recordType": "PublicFeed", "recordName": "feed", "fields": {}}
          {"recordType": "FeedMetadata", "recordName": "a", "fields": {"feedReference": {"value": {"recordName": "feed"}}}}
          {"recordType": "FeedMetadata", "recordName": "b", "fields": {"feedReference": {"value": {"recordName": "feed"}}}}
          """#,
        useInstead: #"""
          {"recordType": "PublicFeed", "recordName": "feed", "fields": {}}
          {"recordType": "FeedMetadata", "recordName": "a", "fields": {"feedReference": {"value": {"recordName": "feed"}}}}
          """#,
        help: "Keep the record whose name the message gives, and delete the others.",
        source: Rule.reference("catalog", "uniqueness"))
    case .repeatedFeed:
      rule(
        "repeated-feed-in-record", .error, "A collection record lists a feed more than once",
        why: "Apps show the feed twice.",
        example: #"""
          {"recordType": "PublicFeed", "recordName": "feed", "fields": {}}
          {"recordType": "FeedCollection", "recordName": "best", "fields": {"feeds": {"value": [{"recordName": "feed"}, {"recordName": "feed"}]}}}
          """#,
        useInstead: #"""
          {"recordType": "PublicFeed", "recordName": "feed", "fields": {}}
          {"recordType": "FeedCollection", "recordName": "best", "fields": {"feeds": {"value": [{"recordName": "feed"}]}}}
          """#,
        help: "Apply the seeds again.", source: Rule.reference("catalog", "links"))
    case .duplicateFeedSlug:
      rule(
        "duplicate-feed-slug", .error, "Several feed records have the same slug",
        why:
          "The slug says which seed a record belongs to. A plan does not change a feed whose slug several records have.",
        example: #"""
          {"recordType": "PublicFeed", "recordName": "a", "fields": {"slug": {"value": "the-verge"}}}
          {"recordType": "PublicFeed", "recordName": "b", "fields": {"slug": {"value": "the-verge"}}}
          """#,
        useInstead: #"""
          {"recordType": "PublicFeed", "recordName": "a", "fields": {"slug": {"value": "the-verge"}}}
          {"recordType": "PublicFeed", "recordName": "b", "fields": {}}
          """#,
        help: "Keep the slug on the record that the seed belongs to.",
        source: Rule.reference("catalog", "feed-matching"))
    case .duplicateCategorySlug:
      rule(
        "duplicate-category-slug", .error, "Several category records have the same slug",
        why:
          "The slug says which seed a record belongs to. A plan changes only one of the records, and apps show the others too.",
        example: #"""
          {"recordType": "FeedCategory", "recordName": "news", "fields": {"slug": {"value": "news"}}}
          {"recordType": "FeedCategory", "recordName": "old-news", "fields": {"slug": {"value": "news"}}}
          """#,
        useInstead: #"""
          {"recordType": "FeedCategory", "recordName": "news", "fields": {"slug": {"value": "news"}}}
          """#,
        help: "Keep the slug on the record that the seed belongs to.",
        source: Rule.reference("catalog", "uniqueness"))
    case .cyclicParent:
      rule(
        "cyclic-category-records", .error, "A category record is its own ancestor",
        why: "An app that walks up the parents would never end.",
        example: #"""
          {"recordType": "FeedCategory", "recordName": "news", "fields": {"parentCategory": {"value": {"recordName": "news"}}}}
          """#,
        useInstead: #"{"recordType": "FeedCategory", "recordName": "news", "fields": {}}"#,
        source: Rule.reference("catalog", "links"))

    case .malformedSubscription:
      rule(
        "malformed-subscription", .warning,
        "The name of a subscription is not 64 lowercase hexadecimal digits",
        why:
          "Recounts do not count it. A client that names its subscriptions in another way can count itself twice.",
        example: #"""
          {"recordType": "PublicFeed", "recordName": "feed", "fields": {}}
          {"recordType": "FeedSubscription", "recordName": "feed-maria", "fields": {"feedRecordName": {"value": "feed"}}}
          """#,
        useInstead: #"""
          {"recordType": "PublicFeed", "recordName": "feed", "fields": {}}
          {"recordType": "FeedSubscription", "recordName": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "fields": {"feedRecordName": {"value": "feed"}}}
          """#,
        help: "Find the client that creates these records.",
        source: Rule.reference("catalog", "subscriber-counts"))

    case .privateSession:
      rule(
        "private-session", .error, "A session that is marked private is in the public database",
        why: "Everyone who is signed in can read it. `isPrivate` only asks clients not to show it.",
        example: #"""
          {"recordType": "LiveSession", "recordName": "show", "fields": {"isPrivate": {"value": 1}}}
          """#,
        useInstead: #"""
          {"recordType": "LiveSession", "recordName": "show", "fields": {"isPrivate": {"value": 0}}}
          """#,
        help: "Keep private sessions in a shared zone of the private database.",
        source: Rule.reference("catalog", "live-sessions"))
    case .privateMessages:
      rule(
        "private-messages", .error, "Messages of a session that is marked private are in the public database",
        why: "Everyone who is signed in can read them.",
        example: #"""
          {"recordType": "LiveSession", "recordName": "show", "fields": {"isPrivate": {"value": 1}}}
          {"recordType": "ChatMessage", "recordName": "hello", "fields": {"sessionId": {"value": "show"}}}
          """#,
        useInstead: #"""
          {"recordType": "LiveSession", "recordName": "show", "fields": {"isPrivate": {"value": 0}}}
          {"recordType": "ChatMessage", "recordName": "hello", "fields": {"sessionId": {"value": "show"}}}
          """#,
        help: "Delete them, and keep private sessions in a shared zone of the private database.",
        source: Rule.reference("catalog", "live-sessions"))
    case .impossibleTimes:
      rule(
        "impossible-times", .warning, "A session ends before it starts, or a participant left before joining",
        why: "Apps compute durations from these fields.",
        example: #"""
          {"recordType": "LiveSession", "recordName": "show", "fields": {"startTime": {"value": 2000, "type": "TIMESTAMP"}, "endTime": {"value": 1000, "type": "TIMESTAMP"}}}
          """#,
        useInstead: #"""
          {"recordType": "LiveSession", "recordName": "show", "fields": {"startTime": {"value": 1000, "type": "TIMESTAMP"}, "endTime": {"value": 2000, "type": "TIMESTAMP"}}}
          """#,
        source: Rule.reference("catalog", "live-sessions"))
    case .overCapacity:
      rule(
        "over-capacity", .warning, "A session has more active participants than its limit allows",
        why: "A client cannot enforce the limit, because two users may join at the same time.",
        example: #"""
          {"recordType": "LiveSession", "recordName": "show", "fields": {"maxParticipants": {"value": 1}}}
          {"recordType": "LiveSessionParticipant", "recordName": "a", "fields": {"isActive": {"value": 1}, "sessionId": {"value": "show"}}}
          {"recordType": "LiveSessionParticipant", "recordName": "b", "fields": {"isActive": {"value": 1}, "sessionId": {"value": "show"}}}
          """#,
        useInstead: #"""
          {"recordType": "LiveSession", "recordName": "show", "fields": {"maxParticipants": {"value": 2}}}
          {"recordType": "LiveSessionParticipant", "recordName": "a", "fields": {"isActive": {"value": 1}, "sessionId": {"value": "show"}}}
          {"recordType": "LiveSessionParticipant", "recordName": "b", "fields": {"isActive": {"value": 1}, "sessionId": {"value": "show"}}}
          """#,
        source: Rule.reference("catalog", "live-sessions"))
    case .activePastEnd:
      rule(
        "active-past-end", .warning, "A session is past its end and still active",
        why:
          "Apps list active sessions, and users join a session without a host. A client that crashes leaves its session active.",
        example: #"""
          {"recordType": "LiveSession", "recordName": "show", "fields": {"isActive": {"value": 1}, "endTime": {"value": 1000, "type": "TIMESTAMP"}}}
          """#,
        useInstead: #"""
          {"recordType": "LiveSession", "recordName": "show", "fields": {"isActive": {"value": 0}, "endTime": {"value": 1000, "type": "TIMESTAMP"}}}
          """#,
        help: "Set isActive to 0.", source: Rule.reference("catalog", "live-sessions"))

    case .duplicateArticle:
      rule(
        "duplicate-article", .warning, "Several articles have the same feed and guid",
        why: "Apps show the item twice.",
        example: feed(with: article("a"), article("b")),
        useInstead: feed(with: article("a")),
        help: "Delete all but one: container verify --fix.", source: Rule.reference("articles", "retention"))

    case .expiredArticle:
      rule(
        "expired-article", .warning, "Articles expired more than 7 days ago",
        why: "The service deletes nothing by itself; articles purge runs every day.",
        example: feed(with: article("a", expires: -1_000_000_000)),
        useInstead: feed(with: article("a")),
        help: "Run articles purge every day.", source: Rule.reference("articles", "retention"))

    case .unlimitedArticle:
      rule(
        "unlimited-article", .warning, "Articles have no expiry, or one more than a year ahead",
        why: "They stay until a purge finds that they were created a lifetime ago.",
        example: feed(with: article("a", expires: nil)),
        useInstead: feed(with: article("a")),
        help: "Find the client that creates them.", source: Rule.reference("articles", "retention"))

    case .futureArticle:
      rule(
        "future-article", .warning, "Articles have a date in the future",
        why: "They stay first in every list until then.",
        example: feed(with: article("a", published: 900_000_000)),
        useInstead: feed(with: article("a")),
        help: "Delete them, or correct their date.", source: Rule.reference("articles", "retention"))
    }
  }

  // MARK: Example records

  private func feed(with articles: String...) -> String {
    ([#"{"recordType": "PublicFeed", "recordName": "feed", "fields": {}}"#] + articles).joined(
      separator: "\n")
  }

  /// An article, with its times in milliseconds since 1970.
  private func article(_ name: String, published: Int = 5000, expires: Int? = 20_000) -> String {
    let expiry = expires.map { #", "expiresAt": {"value": \#($0), "type": "TIMESTAMP"}"# } ?? ""
    return
      #"{"recordType": "PublicArticle", "recordName": "\#(name)", "fields": {"feedReference": {"value": "#
      + #"{"recordName": "feed"}}, "guid": {"value": "a"}, "publishedDate": {"value": \#(published), "#
      + #""type": "TIMESTAMP"}\#(expiry)}}"#
  }
}

/// The codes of findings in a container's records. Codes are never reused.
package enum VerificationCode: String, RuleCode {
  case danglingReference = "CV0101"
  case orphan = "CV0102"

  case duplicateFeedURL = "CV0201"
  case duplicateMetadata = "CV0202"
  case repeatedFeed = "CV0203"
  case cyclicParent = "CV0204"
  case duplicateFeedSlug = "CV0205"
  case duplicateCategorySlug = "CV0206"

  case malformedSubscription = "CV0301"

  case privateSession = "CV0401"
  case privateMessages = "CV0402"
  case impossibleTimes = "CV0403"
  case overCapacity = "CV0404"
  case activePastEnd = "CV0405"

  case duplicateArticle = "CV0501"
  case expiredArticle = "CV0502"
  case unlimitedArticle = "CV0503"
  case futureArticle = "CV0504"

  func finding(_ message: String, help: String? = nil) -> Diagnostic {
    Diagnostic(self, message, help: help)
  }
}
