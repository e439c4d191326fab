import Testing
import WebServicesWire

@Suite struct MultipartBodyTests {
  private static let two =
    "--b\r\nContent-Disposition: form-data; name=\"one\"\r\n\r\n1\r\n--b\r\n"
    + "Content-Disposition: form-data; name=\"two\"\r\n\r\n22\r\n--b--\r\n"

  private func content(
    _ name: String?, _ body: String = two, _ contentType: String = "multipart/form-data; boundary=b"
  ) throws -> String {
    let bytes = try MultipartBody.content(ofPart: name, in: Array(body.utf8), contentType: contentType)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("a part is found by its name, and without a name the first one is meant")
  func names() throws {
    #expect(try content("one") == "1")
    #expect(try content("two") == "22")
    #expect(try content(nil) == "1")
    #expect(throws: WireFormatError("the body has no part named 'three'")) { try content("three") }
    #expect(throws: WireFormatError("the body has no part")) { try content(nil, "--b--\r\n") }
  }

  @Test(
    "a boundary may have quotes, equal signs and neighbors",
    arguments: [
      ("b", "multipart/form-data; boundary=b"), ("b", "Multipart/Form-Data;BOUNDARY=b"),
      ("b", "multipart/form-data; boundary=\"b\""), ("b=c", "multipart/form-data; boundary=b=c"),
      ("b", "multipart/form-data; charset=utf-8; boundary=b"), ("b", "multipart/form-data; x; boundary=b"),
      ("b", "multipart/form-data; boundary=b; charset=utf-8"),
    ])
  func boundaries(boundary: String, contentType: String) throws {
    let body = "--\(boundary)\r\nX: y\r\n\r\nz\r\n--\(boundary)--\r\n"
    #expect(try content(nil, body, contentType) == "z")
  }

  @Test(
    "a content type without a boundary is refused",
    arguments: [
      "multipart/form-data", "multipart/form-data; boundary", "multipart/form-data; boundary=",
      "multipart/form-data; boundary=\"\"", "multipart/form-data; charset=b", "multipart/mixed; boundary=b",
      "boundary=b",
    ])
  func withoutBoundary(contentType: String) {
    #expect(throws: WireFormatError("expected multipart/form-data with a boundary")) {
      try content(nil, Self.two, contentType)
    }
  }
}
