import Testing

@testable import CloudKitModel
@testable import FeedFetching
@testable import HTTPTransport

@Suite struct FeedRequestTests {
  private let validators = FeedValidators(etag: "W/\"x\"", lastModified: "Sun, 01 Mar 2026 00:00:00 GMT")

  private func request(
    _ validators: FeedValidators, lastSuccess: Timestamp? = .monday + .seconds(-86_400),
    at now: Timestamp = .monday, _ policy: FetchPolicy
  ) -> FeedRequest {
    FeedRequest(
      url: "http://a.example/", validators: validators, feed: "a", lastSuccess: lastSuccess, policy: policy,
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

  @Test("on one day in eight the whole document is asked for, once")
  func fullFetch() {
    let unconditional = (0..<16).filter { day in
      let now = Timestamp.monday + .seconds(Int64(day) * 86_400)
      return !request(validators, lastSuccess: now + .seconds(-86_400), at: now, FetchPolicy()).isConditional
    }
    #expect(unconditional.count == 2)
    #expect(unconditional[1] - unconditional[0] == 8)
    let day = Timestamp.monday + .seconds(Int64(unconditional[0]) * 86_400)
    #expect(request(validators, lastSuccess: day + .seconds(-60), at: day, FetchPolicy()).isConditional)
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

  @Test("the day of the whole document follows from the feed's name, so that it is the same in each version")
  func dayOfName() {
    // 2 March 2026 is day 20,514. A name counts as its bytes in base 31, modulo 1,000,003.
    for (feed, period, day) in [
      ("a", 8, 5), ("ab", 8, 5), ("feed-1", 8, 4), ("B7C1F6E2-42D5-4F35-9C8B-0D4A3B8B5E11", 8, 5),
      ("a", 7, 4),
      ("ab", 7, 6),
    ] as [(String, Int64, Int64)] {
      var policy = FetchPolicy()
      policy.fullFetchDays = period
      for offset in 0..<period {
        let now = Timestamp.monday + .seconds(offset * 86_400)
        let request = FeedRequest(
          url: "http://a.example/", validators: validators, feed: feed, lastSuccess: now + .seconds(-86_400),
          policy: policy, at: now)
        #expect(request.isConditional == (offset != day), "\(feed), day \(offset) of \(period)")
      }
    }
  }

  @Test("a request is lenient, and the last one to a host closes the connection")
  func connection() {
    let policy = FetchPolicy()
    let url = "http://a.example/"
    #expect(FeedRequest(url: url, policy: policy, at: .monday).http.keepsConnection)
    #expect(!FeedRequest(url: url, policy: policy, at: .monday, isLast: true).http.keepsConnection)
    #expect(FeedRequest(url: url, policy: policy, at: .monday).http.isLenient)
  }
}
