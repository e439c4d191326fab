import Testing

@testable import CloudKitModel
@testable import FeedFetching
@testable import HTTPTransport

@Suite struct FeedRequestTests {
  private let validators = FeedValidators(etag: "W/\"x\"", lastModified: "Sun, 01 Mar 2026 00:00:00 GMT")

  private func request(
    _ validators: FeedValidators, lastFetch: Timestamp? = .monday + .seconds(-86_400),
    at now: Timestamp = .monday, _ policy: FetchPolicy
  ) -> FeedRequest {
    FeedRequest(
      url: "http://a.example/", validators: validators, feed: "a", lastFetch: lastFetch, policy: policy,
      at: now)
  }

  @Test("validators go back as they were stored")
  func sentBack() {
    var policy = FetchPolicy()
    policy.fullFetchDays = nil
    let request = request(validators, policy)
    #expect(request.isConditional)
    #expect(request.http.headers["If-None-Match"] == "W/\"x\"")
    #expect(request.http.headers["If-Modified-Since"] == "Sun, 01 Mar 2026 00:00:00 GMT")
  }

  @Test("no date is invented for a feed that gave none")
  func none() {
    let request = request(FeedValidators(etag: ""), lastFetch: nil, FetchPolicy())
    #expect(!request.isConditional)
    #expect(request.http.headers["If-Modified-Since"] == nil)
  }

  @Test("on one day in eight the whole document is asked for, once")
  func fullFetch() {
    let unconditional = (0..<16).filter { day in
      let now = Timestamp.monday + .seconds(Int64(day) * 86_400)
      return !request(validators, lastFetch: now + .seconds(-86_400), at: now, FetchPolicy()).isConditional
    }
    #expect(unconditional.count == 2)
    #expect(unconditional[1] - unconditional[0] == 8)
    let day = Timestamp.monday + .seconds(Int64(unconditional[0]) * 86_400)
    #expect(request(validators, lastFetch: day + .seconds(-60), at: day, FetchPolicy()).isConditional)
  }

  @Test("the user agent names the tool and a contact; private addresses are refused unless allowed")
  func manners() {
    var policy = FetchPolicy()
    policy.userAgent = FetchPolicy.userAgent(version: "2.0", contact: "https://celestra.example/bot")
    let http = request(validators, policy).http
    #expect(
      http.headers["User-Agent"] == "celestra-admin/2.0 (feed health check; +https://celestra.example/bot)")
    #expect(http.addressPolicy == .publicOnly)
    #expect(http.limits.connectTimeout == .seconds(10) && http.limits.totalTimeout == .seconds(30))
    #expect(http.limits.maxRedirects == 10 && http.limits.maxBodyBytes == 10 << 20)
    policy.allowPrivateAddresses = true
    #expect(request(validators, policy).http.addressPolicy == .any)
  }
}
