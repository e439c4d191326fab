internal import CloudKitModel
internal import HTTPTransport
internal import WebServicesWire

/// The difference between this machine's clock and the service's, which may be the cause of a refused signature. The
/// service only returns `AUTHENTICATION_FAILED`, but every response has its time in the header `Date`.
struct ServiceClockOffset {
  /// Seconds of difference that cannot cause a refusal: half of the ten minutes for which a signature is documented
  /// to be valid.
  static let tolerance: Int64 = 300
  /// The maximum difference, in seconds, that is corrected. A clock may be set to another time zone; but a server
  /// that pretends to be the service must not be able to collect signatures for dates in the far future.
  static let farthest: Int64 = 86_400

  /// Seconds by which the service's clock is ahead of this machine's.
  let lead: Int64
  /// Seconds since 1970.
  private let time: Int64

  /// - Parameter now: this machine's time. The result is `nil` if the response has no date.
  init?(_ response: HTTPResponse, now: Timestamp) {
    guard let time = response.headers["Date"].flatMap(HTTPDate.secondsSince1970) else { return nil }
    self.time = time
    lead = time - now.milliseconds / 1000
  }

  /// Whether the request's date caused the refusal, so that a new request may be accepted. False for unsigned
  /// requests.
  func refuses(dateOf request: HTTPRequest) -> Bool {
    guard let date = request.headers[RequestSignature.dateHeader].flatMap(WireDate.parse) else {
      return false
    }
    return abs(time - date.milliseconds / 1000) > Self.tolerance
  }

  var canBeFollowed: Bool { abs(lead) <= Self.farthest }

  /// The difference in words: `15 minutes behind`.
  var difference: String {
    let seconds = abs(lead)
    let amount =
      switch seconds {
      case ..<120: "\(seconds) s"
      case ..<7200: "\(seconds / 60) minutes"
      case ..<172_800: "\(seconds / 3600) hours"
      default: "\(seconds / 86_400) days"
      }
    return "\(amount) \(lead > 0 ? "behind" : "ahead of")"
  }

  var failure: RequestAttemptOutcome.Failure {
    RequestAttemptOutcome.Failure(
      what: "this machine's clock is \(difference) the service's, so the service refuses the signature",
      hint: "Set this machine's clock, then run the command again.")
  }
}
