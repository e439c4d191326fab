internal import CloudKitModel
internal import HTTPTransport
internal import WebServicesWire

/// How far this machine's clock is from the service's, which a refused signature may be due to.
///
/// The service says nothing but `AUTHENTICATION_FAILED` (Documentation/reference/web-services.md#signature-refusals),
/// yet every answer carries its time in the header `Date`.
struct ServiceClock {
  /// Half of the ten minutes that a signature is said to hold: a refusal within that has another cause.
  static let tolerance: Int64 = 300
  /// The clock of a machine may be set to another time zone, but nobody who pretends to be the service shall
  /// collect signatures that hold years from now.
  static let farthest: Int64 = 86_400

  /// Seconds by which the service's clock is ahead of this machine's.
  let lead: Int64
  /// Seconds since 1970.
  private let time: Int64

  /// - Parameter now: this machine's time. `nil` when the service does not tell its own.
  init?(_ response: HTTPResponse, now: Timestamp) {
    guard let time = response.headers["Date"].flatMap(HTTPDate.secondsSince1970) else { return nil }
    self.time = time
    lead = time - now.milliseconds / 1000
  }

  /// A request made anew with the service's date may be accepted. Never true of one that is not signed.
  func refuses(dateOf request: HTTPRequest) -> Bool {
    guard let date = request.headers[RequestSignature.dateHeader].flatMap(WireDate.parse) else {
      return false
    }
    return abs(time - date.milliseconds / 1000) > Self.tolerance
  }

  /// Requests may be dated with the service's time.
  var canBeFollowed: Bool { abs(lead) <= Self.farthest }

  /// `15 minutes behind`.
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

  /// What went wrong, as far as the request's date is to blame.
  var trouble: AttemptOutcome.Trouble {
    AttemptOutcome.Trouble(
      what: "this machine's clock is \(difference) the service's, which refuses the signature for its date",
      hint: "Set this machine's clock, then run the command again.")
  }
}
