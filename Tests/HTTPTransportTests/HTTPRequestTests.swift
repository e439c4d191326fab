import Testing

@testable import HTTPTransport

@Suite struct HTTPRequestTests {
  @Test("a request is strict, compressed and on a kept connection unless it says otherwise")
  func defaults() {
    let request = HTTPRequest(url: "http://a.example/")
    #expect(request.method == "GET" && request.acceptCompressed && request.keepsConnection)
    #expect(!request.needsFreshConnection && !request.isLenient && request.addressPolicy == .any)
    #expect(request.limits.connectTimeout == .seconds(10) && request.limits.totalTimeout == .seconds(60))
    #expect(request.limits.maxRedirects == 0 && request.limits.maxBodyBytes == 16_777_216)
    #expect(request.limits.keptBodyBytes == .max)
  }

  @Test("a transport runs 256 transfers, keeps as many connections, and does not limit those of a host")
  func configuration() {
    let configuration = CurlTransport.Configuration()
    #expect(configuration.maxConcurrentTransfers == 256 && configuration.maxConnections == 256)
    #expect(configuration.maxConnectionsPerHost == 0 && configuration.proxies == .none)
  }

  @Test("only 301 and 308 are for ever", arguments: [300, 301, 302, 303, 304, 307, 308, 309])
  func permanent(status: Int) {
    let redirect = HTTPResponse.Redirect(status: status, from: "", to: "")
    #expect(redirect.isPermanent == [301, 308].contains(status))
  }

  @Test("what a failure is about", arguments: HTTPFailure.Kind.allCases)
  func failures(kind: HTTPFailure.Kind) {
    let failure = HTTPFailure(kind, "m")
    #expect(failure.isConnectionFailure == [.dns, .connect].contains(kind))
    #expect(failure.isAboutCoding == [.encoding, .unknownCoding, .extraBytes].contains(kind))
  }

  @Test("the lines of a request's header, as libcurl takes them")
  func lines() throws {
    func lines(_ headers: HTTPHeaders) throws -> [String] {
      try CurlHeaderLines(HTTPRequest(url: "http://a.example/", headers: headers)).map { line in
        #expect(line.last == 0 && line.count { $0 == 0 } == 1)
        return String(decoding: line.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    }
    #expect(try lines([]) == ["Expect:", "Content-Type:"])
    #expect(try lines(["content-type": "x"]) == ["Expect:", "content-type: x"])
    #expect(try lines(["!~": "a", "X": ""]) == ["Expect:", "Content-Type:", "!~: a", "X;"])
    #expect(try lines(["X": "\t\u{B}\u{1}é"]) == ["Expect:", "Content-Type:", "X: \t\u{B}\u{1}é"])
    for (name, value) in [
      ("", "a"), ("X Y", "a"), ("X\u{1F}", "a"), ("X\u{7F}", "a"), ("X:", "a"), ("é", "a"), ("X", "\u{0}"),
      ("X", "a\n"), ("X", "\ra"),
    ] {
      let failure = #expect(throws: HTTPFailure.self) { try lines([name: value]) }
      #expect(failure?.kind == .invalidRequest)
    }
  }

  @Test(
    "the buffers of all transfers together take 4 MiB, and each 2 to 64 KiB",
    arguments: [
      (1, 65_536), (64, 65_536), (65, 64_527), (256, 16_384), (2047, 2049), (2048, 2048), (2049, 2048),
      (9999, 2048),
    ])
  func buffers(transfers: Int, size: Int) {
    let settings = CurlHandle.Settings(CurlTransport.Configuration(), maxTransfers: transfers)
    #expect(settings.bufferSize == size)
  }
}
