import Testing

@testable import HTTPTransport

@Suite("Redirect chain")
struct RedirectChainTests {
  @Test(
    "credentials stay with their origin, and validators with their address",
    arguments: [
      ("https://a.example/next", true), ("https://b.example/", false), ("https://a.example:8443/", false),
    ])
  func credentials(_ location: String, _ kept: Bool) throws {
    let headers: HTTPHeaders = [
      "Authorization": "x", "Cookie": "y", "Accept": "z", "If-None-Match": "1", "If-Modified-Since": "2",
    ]
    var request = HTTPRequest(url: "https://a.example/feed", headers: headers, limits: .init(maxRedirects: 5))
    request.validators = ("https://b.example/", ["If-None-Match": "3"])
    var chain = try RedirectChain(request)
    try follow(redirect(302, to: location), in: &chain)
    #expect(chain.hop.headers["If-None-Match"] == (location == "https://b.example/" ? "3" : nil))
    #expect(chain.hop.headers["If-Modified-Since"] == nil)
    #expect((chain.hop.headers["Authorization"] != nil) == kept)
    #expect((chain.hop.headers["Cookie"] != nil) == kept)
    #expect(chain.hop.headers["Accept"] == "z")
  }

  @Test(
    "redirects from https to http and to other schemes are refused",
    arguments: [
      "http://a.example/", "ftp://a.example/", "file:///etc/passwd", "http://",
    ])
  func downgrade(_ location: String) throws {
    var chain = try chain("https://a.example/feed")
    let error = #expect(throws: HTTPFailure.self) { _ = try chain.follow(redirect(301, to: location)) }
    #expect(error?.kind == .redirect)
  }

  @Test(
    "a POST becomes a GET after 301, 302 and 303, but not after 307 and 308",
    arguments: [
      (301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST"),
    ])
  func method(_ status: Int, _ method: String) throws {
    var chain = try chain("https://a.example/feed", method: "POST", body: [1])
    try follow(redirect(status, to: "/next"), in: &chain)
    #expect(chain.hop.method == method)
    #expect((chain.hop.body == nil) == (method == "GET"))
  }

  @Test("all hops share one time limit")
  func time() throws {
    var chain = try chain("https://a.example/feed")
    try follow(redirect(302, to: "/1", after: .seconds(20)), in: &chain)
    #expect(chain.hop.limits.totalTimeout == .seconds(40))
    let error = #expect(throws: HTTPFailure.self) {
      _ = try chain.follow(redirect(302, to: "/2", after: .seconds(40)))
    }
    #expect(error?.kind == .timeout)
  }

  @Test("the last response has the redirects before it and their total time")
  func record() throws {
    var chain = try chain("http://a.example/feed")
    _ = try chain.follow(redirect(301, to: "https://a.example/feed", after: .seconds(1)))
    _ = try chain.follow(redirect(302, to: "//b.example/x", after: .seconds(1)))
    let last = HTTPResponse(status: 200, finalURL: chain.hop.url, totalTime: .seconds(1))
    let response = try #require(try chain.follow(last))
    #expect(
      response.redirects == [
        .init(status: 301, from: "http://a.example/feed", to: "https://a.example/feed"),
        .init(status: 302, from: "https://a.example/feed", to: "https://b.example/x"),
      ])
    #expect(response.redirects.map(\.isPermanent) == [true, false])
    #expect(response.totalTime == .seconds(3))
  }

  @Test("one redirect more than allowed is refused, and a redirect without a target is the response")
  func limits() throws {
    var chain = try chain("http://a.example/")
    let noTarget = try chain.follow(HTTPResponse(status: 302, finalURL: "http://a.example/"))
    #expect(noTarget?.status == 302)
    for hop in 0..<5 { try follow(redirect(302, to: "/\(hop)"), in: &chain) }
    let error = #expect(throws: HTTPFailure.self) { _ = try chain.follow(redirect(302, to: "/5")) }
    #expect(error?.kind == .tooManyRedirects)
  }

  @Test("a redirect to an address that was asked already, or to no address, is refused at once")
  func circle() throws {
    var chain = try chain("http://a.example/")
    try follow(redirect(302, to: "/1"), in: &chain)
    let circle = #expect(throws: HTTPFailure.self) { _ = try chain.follow(redirect(302, to: "/")) }
    #expect(circle?.kind == .redirect)
    var other = try self.chain("http://a.example/")
    let empty = #expect(throws: HTTPFailure.self) { _ = try other.follow(redirect(302, to: "")) }
    #expect(empty?.message == "the server redirected without a Location header")
  }

  @Test("a failure after redirects names the address they led to, without its query")
  func located() throws {
    var chain = try chain("http://a.example/")
    let failure = HTTPFailure(.addressForbidden, "private")
    #expect(chain.locating(failure) == failure)
    try follow(redirect(302, to: "http://b.example/x?token=1"), in: &chain)
    #expect(chain.locating(failure).message == "private, after a redirect to http://b.example/x")
  }

  @Test("without redirects allowed the redirect is the response, and with one the second is refused")
  func fewRedirects() throws {
    for (limit, followed) in [(0, 0), (1, 1)] {
      let request = HTTPRequest(url: "http://a.example/", limits: HTTPLimits(maxRedirects: limit))
      var chain = try RedirectChain(request)
      for hop in 0..<followed { try follow(redirect(302, to: "/\(hop)"), in: &chain) }
      if limit == 0 {
        #expect(try chain.follow(redirect(302, to: "/x"))?.status == 302)
      } else {
        let error = #expect(throws: HTTPFailure.self) { _ = try chain.follow(redirect(302, to: "/x")) }
        #expect(error?.kind == .tooManyRedirects)
      }
    }
  }

  @Test("only a lenient request without cookies of its own returns those of the server")
  func cookies() throws {
    for (isLenient, own, expected) in [
      (true, nil, ["a"]), (false, nil, nil), (true, "b=2", nil), (false, "b=2", nil),
    ]
      as [(Bool, String?, [String]?)]
    {
      var request = HTTPRequest(url: "http://a.example/", limits: HTTPLimits(maxRedirects: 5))
      request.headers["Cookie"] = own
      request.isLenient = isLenient
      var chain = try RedirectChain(request)
      var response = redirect(302, to: "/next")
      response.cookies = ["a"]
      try follow(response, in: &chain)
      #expect(chain.hop.cookies == expected, "\(isLenient), \(own ?? "none")")
      #expect(chain.hop.headers["Cookie"] == own)
    }
  }

  @Test("cancelling stays what it is after redirects")
  func cancelled() throws {
    var chain = try chain("http://a.example/")
    try follow(redirect(302, to: "/x"), in: &chain)
    #expect(chain.locating(HTTPFailure(.cancelled, "cancelled")).message == "cancelled")
    let error = #expect(throws: HTTPFailure.self) { try self.chain("x?token=1") }
    #expect(error?.message == "not an http or https URL: x")
  }

  private func chain(
    _ url: String, method: String = "GET", headers: HTTPHeaders = [], body: [UInt8]? = nil
  ) throws -> RedirectChain {
    let request = HTTPRequest(
      method, url: url, headers: headers, body: body, limits: HTTPLimits(maxRedirects: 5))
    return try RedirectChain(request)
  }

  private func follow(_ response: HTTPResponse, in chain: inout RedirectChain) throws {
    let final = try chain.follow(response)
    #expect(final?.status == nil, "the redirect was not followed")
  }

  private func redirect(_ status: Int, to location: String, after time: Duration = .zero) -> HTTPResponse {
    HTTPResponse(status: status, headers: ["Location": location], finalURL: "", totalTime: time)
  }
}
