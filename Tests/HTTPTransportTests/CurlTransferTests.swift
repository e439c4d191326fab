import CCurl
import Testing

@testable import HTTPTransport

/// What a transfer makes of libcurl's calls, without a connection.
@Suite struct CurlTransferTests {
  /// Keeps the result that a transfer reports.
  private final class Outcome {
    var result: Result<HTTPResponse, HTTPFailure>?
  }

  private func failure(_ result: Result<HTTPResponse, HTTPFailure>) -> HTTPFailure? {
    if case .failure(let failure) = result { failure } else { nil }
  }

  private static let ok = ["HTTP/1.1 200 OK\r\n", "\r\n"]

  private func request(isLenient: Bool = false, maxBody: Int = 100, kept: Int = .max) -> HTTPRequest {
    var request = HTTPRequest(url: "http://a.example/", limits: HTTPLimits(maxBodyBytes: maxBody))
    request.limits.keptBodyBytes = kept
    request.isLenient = isLenient
    return request
  }

  /// Passes on the lines and pieces, and ends the transfer with the code.
  private func run(
    _ request: HTTPRequest, _ lines: [[UInt8]], _ pieces: [Int] = [], _ code: CURLcode = CURLE_OK
  ) throws -> (result: Result<HTTPResponse, HTTPFailure>, accepted: [Bool]) {
    let outcome = Outcome()
    let transfer = CurlTransfer(id: 1, request) { outcome.result = $0 }
    var accepted = lines.map { line in line.withUnsafeBufferPointer(transfer.receiveHeader) }
    accepted += pieces.map { count in
      [UInt8](repeating: 7, count: count).withUnsafeBufferPointer(transfer.receiveBody)
    }
    transfer.finish(code, try #require(CurlHandle()))
    return (try #require(outcome.result), accepted)
  }

  private func run(
    _ request: HTTPRequest, _ lines: [String] = ok, _ pieces: [Int] = [], _ code: CURLcode = CURLE_OK
  ) throws -> (result: Result<HTTPResponse, HTTPFailure>, accepted: [Bool]) {
    try run(request, lines.map { Array($0.utf8) }, pieces, code)
  }

  @Test(
    "a header's name and value are trimmed and read as UTF-8, or else as Latin-1, and validators always as Latin-1",
    arguments: [
      ("X: a", "X", "a"), ("X:a", "X", "a"), (" X \t:\t a b \r\n", "X", "a b"), ("X:", "X", ""),
      ("X: \r\n", "X", ""),
      (":a", "", "a"), ("X: a:b", "X", "a:b"), ("X: é", "X", "é"), ("X: \u{B}\u{C}a", "X", "a"),
      ("X: \u{8}a\u{E}", "X", "\u{8}a\u{E}"),
      ("ETag: é", "ETag", "\u{C3}\u{A9}"), ("ETag: \"a\"", "ETag", "\"a\""),
      ("last-modified: é", "last-modified", "\u{C3}\u{A9}"),
    ])
  func headers(line: String, name: String, value: String) throws {
    let response = try run(request(), ["HTTP/1.1 200\r\n", line, "\r\n"]).result.get()
    #expect(response.headers == [HTTPHeaders.Field(name, value)])
  }

  @Test("bytes that are no UTF-8 are read as Latin-1")
  func latin1() throws {
    let lines = [Array("HTTP/1.1 200\r\n".utf8), Array("X: ".utf8) + [0xE9, 0x7F, 0x80], Array("\r\n".utf8)]
    #expect(try run(request(), lines).result.get().headers["X"] == "\u{E9}\u{7F}\u{80}")
  }

  @Test("the headers of an interim response are dropped, and a line without a colon is no header")
  func interim() throws {
    let lines = [
      "HTTP/1.1 103\r\n", "A: 1\r\n", "\r\n", "HTTP/1.1 200\r\n", "B: 2\r\n", "nonsense\r\n", "B: 3\r\n",
      "\r\n",
    ]
    let (result, accepted) = try run(request(), lines)
    #expect(try result.get().headers == ["B": "2", "B": "3"])
    #expect(accepted == Array(repeating: true, count: 8))
  }

  @Test(
    "headers that do not end are no response",
    arguments: [[], ["HTTP/1.1 200\r\n"], ok + ["HTTP/1.1 200\r\n", "A: 1"], ["x"]])
  func unfinished(lines: [String]) throws {
    #expect(throws: HTTPFailure(.truncated, "the response ended within its headers")) {
      _ = try run(request(), lines).result.get()
    }
    #expect(throws: Never.self) { _ = try run(request()).result.get() }
  }

  @Test("headers have at most 256 KiB together")
  func longHeaders() throws {
    // Name, colon and the other lines have 4 + 19 bytes.
    for (count, isAccepted) in [(262_144 - 23, true), (262_144 - 22, false)] {
      let lines = ["HTTP/1.1 200 OK\r\n", "X:" + String(repeating: "a", count: count) + "\r\n", "\r\n"]
      let (result, accepted) = try run(request(), lines)
      #expect(accepted == [true, true, isAccepted])
      #expect(
        failure(result)
          == (isAccepted ? nil : HTTPFailure(.tooLarge, "the headers are larger than 262144 bytes")))
    }
  }

  @Test("a body may have as many bytes as its limit, of which the first are kept")
  func bodies() throws {
    for (pieces, kept, count) in [
      ([100], Int.max, 100), ([60, 40], .max, 100), ([60, 40], 70, 70), ([60, 40], 60, 60), ([1], 0, 0),
      ([], 9, 0),
    ] {
      let (result, accepted) = try run(request(kept: kept), Self.ok, pieces)
      #expect(
        try result.get().body.count == count && accepted.allSatisfy(\.self) && result.get().flaws.isEmpty)
    }
    for pieces in [[101], [100, 1]] {
      let (result, accepted) = try run(request(kept: 10), Self.ok, pieces, CURLE_WRITE_ERROR)
      #expect(accepted.last == false)
      #expect(throws: HTTPFailure(.tooLarge, "the body is larger than 100 bytes")) { _ = try result.get() }
    }
  }

  @Test("a lenient request cuts a body at the smaller limit and ends the transfer without a failure")
  func lenientBodies() throws {
    for (pieces, kept, count, isCut) in [
      ([100], Int.max, 100, false), ([101], .max, 100, true), ([60, 41], .max, 100, true),
      ([60, 40], 99, 99, true),
      ([60, 39], 99, 99, false), ([50], 200, 50, false),
    ] {
      let (result, accepted) = try run(
        request(isLenient: true, kept: kept), Self.ok, pieces, isCut ? CURLE_WRITE_ERROR : CURLE_OK)
      let response = try result.get()
      #expect(response.body.count == count && response.flaws == (isCut ? [.cut] : []))
      #expect(accepted.last == !isCut)
    }
  }

  @Test("a lenient request accepts a transfer that breaks off within its body, and no other one")
  func brokenEnds() throws {
    let ends: [(CURLcode, HTTPResponse.Flaw?, HTTPFailure.Kind)] = [
      (CURLE_PARTIAL_FILE, .endedEarly, .truncated), (CURLE_RECV_ERROR, .endedEarly, .protocol),
      (CURLE_HTTP2_STREAM, .endedEarly, .protocol), (CURLE_HTTP2, .endedEarly, .protocol),
      (CURLE_OPERATION_TIMEDOUT, .timedOut, .timeout), (CURLE_SEND_ERROR, nil, .protocol),
      (CURLE_COULDNT_RESOLVE_HOST, nil, .dns), (CURLE_COULDNT_CONNECT, nil, .connect),
      (CURLE_OUT_OF_MEMORY, nil, .resources),
    ]
    for (code, flaw, kind) in ends {
      if let flaw {
        #expect(try run(request(isLenient: true), Self.ok, [1], code).result.get().flaws == [flaw], "\(code)")
      }
      let refusals = try [
        run(request(), Self.ok, [1], code), run(request(isLenient: true), Self.ok, [], code),
        run(request(isLenient: true), ["HTTP/1.1 200\r\n"], [1], code),
      ]
      for refusal in refusals {
        let failure = #expect(throws: HTTPFailure.self) { _ = try refusal.result.get() }
        #expect(failure?.kind == kind, "\(code)")
      }
    }
  }

  @Test("a coding that nobody uses is unknown, and any other cannot be decoded")
  func codings() throws {
    for (codings, kind) in [
      ([], HTTPFailure.Kind.encoding), (["gzip"], .encoding), (["gzip, br"], .encoding),
      (["utf-8"], .unknownCoding),
      (["gzip, utf-8"], .unknownCoding), (["utf-8", "gzip"], .unknownCoding),
    ] {
      let lines = ["HTTP/1.1 200\r\n"] + codings.map { "Content-Encoding: \($0)\r\n" } + ["\r\n"]
      let failure = #expect(throws: HTTPFailure.self) {
        _ = try run(request(), lines, [], CURLE_BAD_CONTENT_ENCODING).result.get()
      }
      #expect(failure?.kind == kind)
      if kind == .unknownCoding {
        #expect(
          failure?.message
            == "the body is in the content coding '\(codings.joined(separator: ", "))', which is not supported"
        )
      }
    }
  }

  @Test(
    "one and a half times the body and 1 MiB may arrive for it",
    arguments: [(0, 1_048_576), (1, 1_048_577), (2, 1_048_579), (100, 1_048_726)])
  func framing(body: Int, most: Int) {
    let transfer = CurlTransfer(id: 1, request()) { _ in }
    #expect([UInt8](repeating: 7, count: body).withUnsafeBufferPointer(transfer.receiveBody))
    #expect(transfer.noteArrival(of: 1) && transfer.noteArrival(of: most - 1) && !transfer.noteArrival(of: 1))
  }

  @Test("a transfer may connect to an allowed address after one that is not")
  func addresses() throws {
    var request = request()
    request.addressPolicy = .publicOnly
    for (addresses, isForbidden) in [
      ([[127, 0, 0, 1]], true), ([[127, 0, 0, 1], [8, 8, 8, 8]], false), ([[8, 8, 8, 8]], false),
    ]
      as [([[UInt8]], Bool)]
    {
      let outcome = Outcome()
      let transfer = CurlTransfer(id: 1, request) { outcome.result = $0 }
      for address in addresses {
        #expect(address.withUnsafeBufferPointer(transfer.mayConnect) == (address[0] == 8))
      }
      for line in Self.ok { #expect(Array(line.utf8).withUnsafeBufferPointer(transfer.receiveHeader)) }
      transfer.finish(CURLE_OK, try #require(CurlHandle()))
      #expect(
        try failure(#require(outcome.result))
          == (isForbidden
            ? HTTPFailure(.addressForbidden, "the host's address is not on the public internet") : nil))
    }
  }

  @Test("a result code of libcurl is explained in its own words, or in libcurl's")
  func codes() {
    #expect(HTTPFailure(CURLE_COULDNT_CONNECT, "refused") == HTTPFailure(.connect, "refused"))
    #expect(
      HTTPFailure(CURLE_COULDNT_CONNECT, "").kind == .connect
        && !HTTPFailure(CURLE_COULDNT_CONNECT, "").message.isEmpty)
    #expect(
      HTTPFailure(CURLE_WRITE_ERROR, "x")
        == HTTPFailure(.extraBytes, "there are more bytes after the compressed body"))
    #expect(
      HTTPFailure(CURLE_GOT_NOTHING, "x").kind == .protocol && HTTPFailure(CURLE_SSL_CIPHER, "x").kind == .tls
    )
  }
}
