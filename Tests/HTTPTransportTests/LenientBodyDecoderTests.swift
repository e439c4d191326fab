import Testing

@testable import DemoFeeds
@testable import HTTPTransport

@Suite struct LenientBodyDecoderTests {
  private static let text = Array("<rss/>".utf8)

  private func response(_ body: [UInt8], _ headers: HTTPHeaders = []) -> HTTPResponse {
    HTTPResponse(status: 200, headers: headers, body: body, finalURL: "")
  }

  private func zipped(_ layers: Int) -> [UInt8] {
    (0..<layers).reduce(Self.text) { body, _ in Gzip.stored(body) }
  }

  @Test("a body is decompressed twice at most, and that is a flaw")
  func layers() {
    for (layers, left) in [(0, 0), (1, 0), (2, 0), (3, 1), (4, 2)] {
      let read = LenientBodyDecoder.read(response(zipped(layers)), HTTPLimits())
      #expect(read.body == zipped(left) && read.flaws == (layers == 0 ? [] : [.wrongCoding]), "\(layers)")
    }
  }

  @Test("a body is cut at the smaller limit")
  func limits() {
    for (kept, most, count) in [(3, 100, 3), (100, 3, 3), (6, 100, 6), (5, 6, 5), (100, 100, 6)] {
      var limits = HTTPLimits(maxBodyBytes: most)
      limits.keptBodyBytes = kept
      let read = LenientBodyDecoder.read(response(zipped(1)), limits)
      #expect(
        read.body == Array(Self.text.prefix(count))
          && read.flaws == (count < 6 ? [.cut, .wrongCoding] : [.wrongCoding]))
    }
  }

  @Test("what only begins like compressed bytes stays as it is")
  func broken() {
    let broken: [UInt8] = [0x1F, 0x8B, 8, 1, 2]
    let read = LenientBodyDecoder.read(response(broken), HTTPLimits())
    #expect(read.body == broken && read.flaws.isEmpty)
    for body in [[0x1F, 0x8B, 9], [0x1F, 0x8B], [0x1E, 0x8B, 8], []] as [[UInt8]] {
      #expect(
        !GzipDecoder.isGzip(body) && LenientBodyDecoder.read(response(body), HTTPLimits()).flaws.isEmpty)
    }
    let inner = LenientBodyDecoder.read(response(Gzip.stored(broken)), HTTPLimits())
    #expect(inner.body == broken && inner.flaws == [.wrongCoding])
  }

  @Test(
    "the answer to a second request is read when it is text, not declared as compressed, or compressed after all"
  )
  func secondRequests() throws {
    let (declared, other): (HTTPHeaders, HTTPHeaders) = (
      ["Content-Encoding": "br"], ["Content-Encoding": "utf-8"]
    )
    let noText: [UInt8] = [0x01, 0x02]
    let rows: [([UInt8], HTTPHeaders, HTTPFailure.Kind, [UInt8]?, Set<HTTPResponse.Flaw>)] = [
      (Self.text, [], .encoding, Self.text, [.wrongCoding]), (Self.text, [], .unknownCoding, Self.text, []),
      (Self.text, [], .extraBytes, Self.text, []), (Self.text, other, .unknownCoding, Self.text, []),
      (Self.text, declared, .unknownCoding, Self.text, [.wrongCoding]),
      (Self.text, declared, .extraBytes, Self.text, [.wrongCoding]),
      (noText, [], .extraBytes, noText, []), (noText, declared, .encoding, nil, []),
      (noText, other, .unknownCoding, noText, []),
      (zipped(1), declared, .extraBytes, Self.text, []), (zipped(2), [], .encoding, Self.text, []),
      ([0x1F, 0x8B, 8, 1, 2], [], .encoding, nil, []),
    ]
    for (body, headers, kind, expected, flaws) in rows {
      let failure = HTTPFailure(kind, "m")
      func read() throws -> HTTPResponse {
        try LenientBodyDecoder.read(response(body, headers), HTTPLimits(), after: failure)
      }
      if let expected {
        let read = try read()
        #expect(read.body == expected && read.flaws == flaws, "\(body) \(kind)")
      } else {
        #expect(throws: failure) { _ = try read() }
      }
    }
  }

  @Test("a text begins within 64 bytes with a mark of XML or JSON, and has no control characters before")
  func texts() throws {
    func isText(_ text: String) -> Bool {
      let answer = response(Array(text.utf8), ["Content-Encoding": "gzip"])
      return (try? LenientBodyDecoder.read(answer, HTTPLimits(), after: HTTPFailure(.encoding, ""))) != nil
    }
    let blanks = String(repeating: " ", count: 63)
    for text in [
      "<", "{", "\u{FEFF}<?xml", "\t\n\u{B}\u{C}\r <", "é<", blanks + "<", "<\u{7E}", blanks + "<\u{1}",
    ] {
      #expect(isText(text), "\(text.debugDescription)")
    }
    for text in ["", "a", "[", blanks + " <", "<\u{8}", "<\u{E}", "<\u{1F}", "<\u{7F}", "\u{0}<"] {
      #expect(!isText(text), "\(text.debugDescription)")
    }
  }

  @Test("a content coding is known in any letters and between blanks")
  func codings() {
    for name in ["gzip", " GZIP\t", "x-gzip", "deflate", "br", "zstd", "compress", "X-Compress"] {
      #expect(ContentCoding.isInUse(Substring(name)))
    }
    for name in ["", " ", "utf-8", "identity", "gzip2", "aws-chunked"] {
      #expect(!ContentCoding.isInUse(Substring(name)))
    }
  }
}
