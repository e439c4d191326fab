import CloudKitModel
import Cryptography
import FoundationEssentials
import Platform
import Testing
import WebServicesWire

@Suite struct SignatureTests {
  static let now = Timestamp(milliseconds: 1_453_760_143_000)
  static let path = "/database/1/iCloud.com.example.App/development/public/records/query"
  let key: P256PrivateKey
  let verifier: SignatureVerifier

  init() throws {
    key = try P256PrivateKey.generate()
    verifier = SignatureVerifier(keys: ["abc": key.publicKey])
  }

  private func signed(
    _ body: String = #"{"query":{}}"#, subpath: String = path
  ) throws -> SignatureVerifier.Request {
    let headers = try RequestSigner(keyID: "abc", key: key)
      .headers(subpath: subpath, body: Array(body.utf8), at: Self.now)
    let values = Dictionary(uniqueKeysWithValues: headers)
    return SignatureVerifier.Request(
      path: Self.path, body: Array(body.utf8), keyID: values[RequestSignature.keyIDHeader],
      date: values[RequestSignature.dateHeader], signature: values[RequestSignature.signatureHeader])
  }

  @Test("the string to sign is DATE:BODYHASH:SUBPATH, the hash in base64 of its raw bytes")
  func stringToSign() {
    let hash = RequestSignature.bodyHash(of: [])
    #expect(hash == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
    let message = RequestSignature.stringToSign(
      date: Self.now.wholeSeconds, bodyHash: hash, subpath: "/database/1/x")
    #expect(String(decoding: message, as: UTF8.self) == "2016-01-25T22:15:43Z:\(hash):/database/1/x")
  }

  @Test("a signed request is accepted and names its key")
  func accepted() throws {
    #expect(try verifier.verify(signed(), now: Self.now) == "abc")
  }

  @Test("what a signer signs is sound, at any time")
  func soundness() {
    let signer = RequestSigner(keyID: "k", key: key)
    #expect(signer.signsSoundly(at: Self.now) && signer.signsSoundly(at: Timestamp(milliseconds: 1)))
  }

  @Test(
    "a refusal is explained in words",
    arguments: [
      (.outsideWindow(age: .seconds(601)), "the date is 601 s old: the request expired"),
      (.outsideWindow(age: .seconds(-601)), "the date is 601 s in the future: the sender's clock is fast"),
      (
        .mismatch("the signed path leaves out /database/1"),
        "the signature does not match: the signed path leaves out /database/1"
      ),
      (.missing("X"), "the header X is missing"),
    ] as [(SignatureProblem, String)])
  func explanations(problem: SignatureProblem, text: String) {
    #expect(problem.description == text)
  }

  @Test("an empty body is signed by its hash or by no text, any other body by its hash alone")
  func bodyHashes() throws {
    let hash = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
    #expect(RequestSignature.bodyHash(of: Array("abc".utf8)) == hash)
    try verifier.verify(signed(""), now: Self.now)
    let message = RequestSignature.stringToSign(
      date: Self.now.wholeSeconds, bodyHash: "", subpath: Self.path)
    let signature = Data(try key.signature(for: message)).base64EncodedString()
    var empty = try signed("")
    empty.signature = signature
    try verifier.verify(empty, now: Self.now)
    var other = try signed()
    other.signature = signature
    #expect(throws: SignatureProblem.mismatch("the hash of an empty body was signed, but a body was sent")) {
      try verifier.verify(other, now: Self.now)
    }
  }

  @Test("a query string is accepted signed or not")
  func queryString() throws {
    var unsigned = try signed()
    unsigned.query = "ckAPIToken=x"
    try verifier.verify(unsigned, now: Self.now)
    var included = try signed(subpath: Self.path + "?ckAPIToken=x")
    included.query = "ckAPIToken=x"
    try verifier.verify(included, now: Self.now)
    included.query = "ckAPIToken=y"
    #expect(throws: SignatureProblem.mismatch(nil)) { try verifier.verify(included, now: Self.now) }
  }

  @Test("the date may be ten minutes off in either direction and no second more")
  func window() throws {
    let request = try signed()
    for seconds in [-600, 600] {
      try verifier.verify(
        request, now: Timestamp(milliseconds: Self.now.milliseconds + Int64(seconds) * 1000))
    }
    for seconds in [-601, 601] {
      let time = Timestamp(milliseconds: Self.now.milliseconds + Int64(seconds) * 1000)
      #expect(throws: SignatureProblem.outsideWindow(age: .seconds(seconds))) {
        try verifier.verify(request, now: time)
      }
    }
  }

  @Test(
    "a date is the second that has begun, also before 1970",
    arguments: [
      (0, "1970-01-01T00:00:00Z"), (999, "1970-01-01T00:00:00Z"), (1000, "1970-01-01T00:00:01Z"),
      (-1, "1969-12-31T23:59:59Z"), (-1000, "1969-12-31T23:59:59Z"), (-1001, "1969-12-31T23:59:58Z"),
    ] as [(Int64, String)])
  func dates(_ milliseconds: Int64, _ text: String) {
    #expect(Timestamp(milliseconds: milliseconds).wholeSeconds == text)
  }

  @Test("a date may be ahead by the lead alone, which may be shorter than the age")
  func lead() throws {
    let verifier = SignatureVerifier(
      keys: ["abc": key.publicKey], window: .seconds(600), lead: .seconds(60))
    let request = try signed()
    for seconds in [-60, 0, 600] {
      try verifier.verify(
        request, now: Timestamp(milliseconds: Self.now.milliseconds + Int64(seconds) * 1000))
    }
    for seconds in [-600, -61, 601] {
      let time = Timestamp(milliseconds: Self.now.milliseconds + Int64(seconds) * 1000)
      #expect(throws: SignatureProblem.outsideWindow(age: .seconds(seconds))) {
        try verifier.verify(request, now: time)
      }
    }
  }

  @Test("each missing or unreadable part is named")
  func unreadable() throws {
    func problem(_ change: (inout SignatureVerifier.Request) -> Void) throws -> SignatureProblem? {
      var request = try signed()
      change(&request)
      do { try verifier.verify(request, now: Self.now) } catch { return error }
      return nil
    }
    #expect(try problem { $0.keyID = nil } == .missing(RequestSignature.keyIDHeader))
    #expect(try problem { $0.date = nil } == .missing(RequestSignature.dateHeader))
    #expect(try problem { $0.signature = nil } == .missing(RequestSignature.signatureHeader))
    #expect(try problem { $0.keyID = "abd" } == .unknownKey("abd"))
    #expect(try problem { $0.signature = "é" } == .signatureNotBase64)
    for date in [
      "2016-01-25T22:15:43.000Z", "2016-01-25 22:15:43Z", "2016-01-25T22:15:43+00:00", "1453760143",
    ] {
      #expect(try problem { $0.date = date } == .malformedDate(date))
    }
  }

  @Test("tampering with any part is refused", arguments: 0..<60)
  func tampering(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var request = try signed()
    switch seed % 5 {
    case 0: request.body = random.mutated(request.body)
    case 1: request.path = String(decoding: random.mutated(Array(request.path.utf8)), as: UTF8.self)
    case 2: request.keyID = String(decoding: random.mutated(Array("abc".utf8)), as: UTF8.self)
    case 3: request.date = Timestamp(milliseconds: Self.now.milliseconds - 1000).wholeSeconds
    default:
      let bytes = try #require(request.signature.flatMap { Data(base64Encoded: $0) })
      request.signature = Data(random.mutated(Array(bytes))).base64EncodedString()
    }
    #expect(throws: SignatureProblem.self) { try verifier.verify(request, now: Self.now) }
  }

  @Test(
    "each known mistake is recognized",
    arguments: [
      "hexadecimal instead", "its 32 bytes", "empty body", "/database/1", "the slash", "whole URL",
      "bare numbers",
    ])
  func mistakes(words: String) throws {
    let body = Array("{}".utf8)
    let hash = RequestSignature.bodyHash(of: body)
    let hex = SHA256.hex(body)
    let parts: [String: (hash: String, path: String)] = [
      "hexadecimal instead": (hex, Self.path),
      "its 32 bytes": (Data(hex.utf8).base64EncodedString(), Self.path),
      "empty body": (RequestSignature.bodyHash(of: []), Self.path),
      "/database/1": (hash, String(Self.path.dropFirst("/database/1".count))),
      "the slash": (hash, String(Self.path.dropFirst())),
      "whole URL": (hash, "https://api.apple-cloudkit.com" + Self.path),
    ]
    let date = Self.now.wholeSeconds
    var request = try signed()
    request.body = body
    if let (bodyHash, subpath) = parts[words] {
      let message = RequestSignature.stringToSign(date: date, bodyHash: bodyHash, subpath: subpath)
      request.signature = Data(try key.signature(for: message)).base64EncodedString()
    } else {
      request.signature = Data([UInt8](repeating: 1, count: 64)).base64EncodedString()
    }
    let problem = #expect(throws: SignatureProblem.self) { try verifier.verify(request, now: Self.now) }
    #expect(problem?.description.contains(words) == true)
  }
}
