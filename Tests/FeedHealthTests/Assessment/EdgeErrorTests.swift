import FeedState
import HTTPTransport
import Testing

@testable import FeedHealth

@Suite struct EdgeErrorTests {
  private func error(_ status: Int, _ body: String = "", _ headers: HTTPHeaders = []) -> EdgeError? {
    EdgeError(.status(status, headers, body))
  }

  @Test("statuses 520 to 530 are errors of the edge (Documentation/reference/feeds.md#edge-errors)")
  func statuses() {
    for status in 510...540 {
      let error = error(status)
      #expect((error != nil) == (520...530).contains(status), "\(status)")
      if let error { #expect(error.reason == (status == 525 || status == 526 ? .originTLS : .originDown)) }
    }
    let words = (520...527).compactMap { error($0)?.detail.split(separator: ", ").last }
    #expect(Set(words).count == 8 && !words.contains("an error of the edge server"))
    #expect(error(528)?.detail == "the edge server: 528, an error of the edge server")
    #expect(error(522)?.detail == "the edge server: 522, the connection to the origin timed out")
  }

  @Test("the edge is named by its headers or its page")
  func names() {
    for (headers, body, isNamed) in [
      (["Server": "cloudflare"], "", true), (["CF-RAY": "1"], "", true),
      ([], "<div id='cf-error-details'>", true),
      (["Server": "nginx"], "", false), ([], "cf-error", false),
      ([], String(repeating: " ", count: 16_384) + "cf-error-details", false),
      ([], String(repeating: " ", count: 16_368) + "cf-error-details", true),
      ([], String(repeating: " ", count: 16_369) + "cf-error-details", false),
    ] as [(HTTPHeaders, String, Bool)] {
      #expect(error(521, body, headers)?.detail.hasPrefix("Cloudflare: 521") == isNamed, "\(body.suffix(30))")
    }
  }

  @Test("errors about the origin's name are recognized by their numbers, at statuses 403, 409 and 500 to 599")
  func numbers() {
    let ray: HTTPHeaders = ["CF-RAY": "1"]
    for number in 995...1030 {
      let isAboutName = [1000, 1001, 1002, 1004, 1014, 1016, 1018, 1023].contains(number)
      #expect(
        (error(409, "error code: \(number)", ray)?.reason == .originNotFound) == isAboutName, "\(number)")
    }
    for (status, isRead) in [
      (403, true), (409, true), (500, true), (599, true), (499, false), (600, false), (404, false),
      (200, false), (408, false), (410, false),
    ] {
      #expect((error(status, "error code: 1016", ray) != nil) == isRead, "\(status)")
    }
    #expect(
      error(530, "<span class=\"cf-error-code\">1016</span>")?.detail
        == "Cloudflare: 530, error 1016, the origin's name has no usable address")
    #expect(error(530, "error code: 1033", ray)?.detail == "Cloudflare: 530, error 1033")
    #expect(error(530, "error code: 1033", ray)?.reason == .originDown)
    #expect(
      error(409, "error code: 1016") == nil
        && error(409, "Error Code: 1016 cloudflare")?.reason == .originNotFound)
    #expect(error(409, "error code: 10166", ray) == nil && error(409, "error code: x", ray) == nil)
    #expect(error(409, "error code: 1016 error code: 1033", ray)?.reason == .originNotFound)
  }
}
