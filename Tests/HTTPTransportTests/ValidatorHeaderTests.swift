import Testing

@testable import HTTPTransport

@Suite("Validators")
struct ValidatorHeaderTests {
  @Test("a validator is sent back with the bytes it came with, in any encoding")
  func bytes() throws {
    for bytes: [UInt8] in [[0x22, 0xE9, 0x22], [0x22, 0xC3, 0xA9, 0x22]] {
      let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
      let request = HTTPRequest(url: "http://a.example/", headers: ["If-None-Match": text, "X": "é"])
      let sent = try CurlHeaderLines(request)
      let lines = sent.map { line in line.dropLast().map { UInt8(bitPattern: $0) } }
      #expect(lines.contains(Array("If-None-Match: ".utf8) + bytes))
      #expect(lines.contains(Array("X: é".utf8)))
    }
  }

  @Test("only validators are kept byte for byte")
  func names() {
    #expect(ValidatorHeader.isReceived("ETag") && ValidatorHeader.isReceived("last-modified"))
    #expect(!ValidatorHeader.isReceived("Location"))
    #expect(ValidatorHeader.bytes("Ω") == nil)
  }
}
