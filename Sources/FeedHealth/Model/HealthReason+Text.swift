extension HealthReason {
  /// What is wrong, for a person: one clause without a full stop.
  public var explanation: String { text.explanation }

  /// What an editor can do about it.
  public var advice: String { text.advice }

  private var text: (explanation: String, advice: String) {
    switch self {
    case .invalidURL: ("the feed URL cannot be requested", "Correct feedURL in the seed.")
    case .hostNotFound: ("the host name has no address", Self.waitOrReplace)
    case .connectionFailed: ("no connection to the server", Self.waitOrReplace)
    case .tlsFailed: ("no secure connection to the server", "Tell the publisher; the certificate may be old.")
    case .timedOut: ("the server took too long", "Wait; if it stays so, tell the publisher.")
    case .tooLarge: ("the answer is over the size limit", "Look for a smaller feed of the same site.")
    case .addressForbidden:
      ("the host's address is private", "Correct feedURL, or allow private addresses for an intranet.")
    case .badRedirect: ("the redirects lead nowhere", "Find the feed's present address on its site.")
    case .brokenProtocol: ("the server broke HTTP or the connection off", Self.waitOrReplace)
    case .truncated: ("the answer ended early", "Wait; if it stays so, tell the publisher.")
    case .damagedEncoding: ("the answer's compression is damaged", "Tell the publisher.")
    case .notFound: ("404: nothing is at the feed's address", "Find the feed's present address on its site.")
    case .gone: ("410: the publisher has withdrawn the feed", "Retire the feed.")
    case .accessDenied: ("the server denies access", "Ask the publisher to admit feed readers.")
    case .throttled: ("the server asks for fewer requests", "Nothing; the next check waits as asked.")
    case .refused: ("the server refuses the request", "Find the feed's present address on its site.")
    case .serverError: ("the server reports an error of its own", "Wait; if it stays so, tell the publisher.")
    case .unexpectedStatus: ("the server's answer makes no sense for a feed", "Try the URL by hand.")
    case .botWall:
      ("a challenge for browsers stands before the feed", "Ask the publisher to admit feed readers.")
    case .notAFeed: ("what is there is not a feed", "Find the feed's present address on its site.")
    case .htmlPage: ("a web page is there instead of a feed", "Use the feed that the page links to, if any.")
    case .illFormed: ("the document is ill-formed and was read with repairs", "Tell the publisher.")
    case .encodingMismatch: ("the text is not in its declared encoding", "Tell the publisher.")
    case .noItems: ("the feed has no items", "Wait; if it stays so, look for a better feed.")
    case .stale: ("nothing new for a long time", "Retire the feed if its site has ended.")
    case .itemIdentity: ("items have no id, or share one", "Tell the publisher: readers will see duplicates.")
    case .emptyDocument: ("the server sends nothing", "Wait; if it stays so, tell the publisher.")
    case .movedPermanently:
      ("the server says the feed has moved for good", "Change feedURL to the new address.")
    case .slow: ("the answer is slow", "Nothing, unless it becomes the rule.")
    case .httpsAvailable: ("the feed is also served by https", "Change feedURL to https.")
    case .failingRepeatedly: ("the last checks all failed", "See the other reason.")
    case .failingForLong: ("it has failed for a day or more", "See the other reason.")
    case .unreliable:
      ("too many checks of the last 30 days failed", "Wait; look for a mirror if it stays so.")
    case .recovering: ("it answers again after being down", "Nothing; one more good check makes it healthy.")
    }
  }

  private static let waitOrReplace = "Wait; if it stays so, find the feed's present address on its site."
}
