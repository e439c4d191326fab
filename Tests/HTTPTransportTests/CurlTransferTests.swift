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

  @Test("headers have at most 256 KiB together")
  func longHeaders() throws {
    // Name, colon and the other lines have 4 + 19 bytes.
    for (count, isAccepted) in [(262_144 - 23, true), (262_144 - 22, false)] {
      let lines = ["HTTP/1.1 200 OK\r\n", "X:" + String(repeating: "a", count: count) + "\r\n", "\r\n"]
      let (result, accepted) = try run(request(), lines)
      #expect(accepted == [true, true, isAccepted])
      let refused = failure(result)
      #expect(refused?.kind == (isAccepted ? nil : .tooLarge))
      #expect(refused?.description == (isAccepted ? nil : "the headers are larger than 262144 bytes"))
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
      let refused = failure(result)
      #expect(refused?.kind == .tooLarge && refused?.description == "the body is larger than 100 bytes")
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
      let refused = failure(try #require(outcome.result))
      #expect(refused?.kind == (isForbidden ? .addressForbidden : nil))
      #expect(
        refused?.description == (isForbidden ? "the host's address is not on the public internet" : nil))
    }
  }
}
