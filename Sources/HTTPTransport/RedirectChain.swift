/// The hops of one request. Redirects are followed here and not by libcurl, so that every hop is recorded and subject
/// to all rules.
struct RedirectChain {
  private(set) var hop: HTTPRequest
  private var redirects: [HTTPResponse.Redirect] = []
  /// The requests sent so far, with their cookies. Sending one of them again would be an endless loop.
  private var sent: Set<String> = []
  private var elapsed = Duration.zero
  private let limits: HTTPLimits

  init(_ request: HTTPRequest) throws(HTTPFailure) {
    guard let url = URLParts(request.url) else {
      throw HTTPFailure(.invalidRequest, "not an http or https URL: \(request.url.withoutQuery)")
    }
    limits = request.limits
    hop = request
    hop.url = url.text
    if request.isLenient, request.headers["Cookie"] == nil { hop.cookies = [] }
    if hop.headers["User-Agent"] == nil { hop.headers["User-Agent"] = "celestra-admin" }
  }

  /// The response to return, or `nil` when ``hop`` is now the next one to send.
  mutating func follow(_ response: HTTPResponse) throws(HTTPFailure) -> HTTPResponse? {
    elapsed += response.totalTime
    guard limits.maxRedirects > 0, [301, 302, 303, 307, 308].contains(response.status),
      let location = response.headers["Location"]
    else { return finished(response) }
    sent.insert(key)
    if hop.cookies != nil { hop.cookies = response.cookies }
    guard redirects.count < limits.maxRedirects else {
      throw failure(
        .tooManyRedirects, "the server redirected more than \(limits.maxRedirects) times", at: hop.url)
    }
    try redirect(to: location, status: response.status)
    return nil
  }

  private func finished(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    response.redirects = redirects
    response.totalTime = elapsed
    return response
  }

  /// The failure, with the address that redirects led to, if any did.
  func locating(_ failure: HTTPFailure) -> HTTPFailure {
    guard !redirects.isEmpty, failure.kind != .cancelled else { return failure }
    var located = failure
    located.message += ", after a redirect to \(hop.url.withoutQuery)"
    located.trace.redirectedTo = hop.url
    located.trace.elapsed += elapsed
    return located
  }

  private var key: String {
    // A cookie for some minutes has another end each time.
    let cookies = (hop.cookies ?? []).map { cookie in
      cookie.split(separator: "\t", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset != Self.endOfCookie }.map(\.element).joined(separator: "\t")
    }
    return "\(hop.method) \(hop.url) \(cookies.sorted())"
  }

  /// The place of the end of its life among the parts of a cookie.
  private static let endOfCookie = 4

  private mutating func redirect(to location: String, status: Int) throws(HTTPFailure) {
    guard !location.isEmpty else {
      throw HTTPFailure(.redirect, "the server redirected without a Location header")
    }
    guard let from = URLParts(hop.url), let target = URLParts(location, relativeTo: hop.url) else {
      throw HTTPFailure(.redirect, "the server redirected to something that is not an http or https URL")
    }
    guard from.scheme == "http" || target.scheme == "https" else {
      throw failure(
        .redirect, "the server redirected from https to http: \(target.text.withoutQuery)", at: target.text)
    }
    let left = limits.totalTimeout - elapsed
    guard left > .milliseconds(1) else {
      throw failure(
        .timeout, "the redirects took too long, the last one to \(target.text.withoutQuery)", at: target.text)
    }
    redirects.append(HTTPResponse.Redirect(status: status, from: hop.url, to: target.text))
    hop.url = target.text
    hop.limits.totalTimeout = left
    if status == 303 || (status <= 302 && hop.method == "POST") { becomeGet() }
    if target.origin != from.origin { dropCredentials() }
    let known = hop.validators.flatMap { $0.url == target.text ? $0.headers : nil }
    for name in ["If-None-Match", "If-Modified-Since"] { hop.headers[name] = known?[name] }
    guard !sent.contains(key) else {
      throw failure(
        .redirect, "the redirects form a loop, again to \(target.text.withoutQuery)", at: target.text)
    }
  }

  private func failure(_ kind: HTTPFailure.Kind, _ message: String, at url: String) -> HTTPFailure {
    var trace = ConnectionTrace(step: .answered)
    trace.redirectedTo = url
    trace.elapsed = elapsed
    return HTTPFailure(kind, message, trace: trace)
  }

  /// Every client does this, although only 303 requires it (RFC 9110, sections 15.4.2 to 15.4.4).
  private mutating func becomeGet() {
    if hop.method != "HEAD" { hop.method = "GET" }
    hop.body = nil
    hop.headers["Content-Type"] = nil
  }

  private mutating func dropCredentials() {
    for name in ["Authorization", "Cookie", "Proxy-Authorization"] { hop.headers[name] = nil }
  }
}

extension String {
  /// The part of a URL that messages may show: queries can contain tokens.
  fileprivate var withoutQuery: Substring { prefix { $0 != "?" } }
}
