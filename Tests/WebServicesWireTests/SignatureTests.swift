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
      (.mismatch(.pathWithoutRoot), "the signature does not match: the signed path leaves out /database/1"),
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
    #expect(throws: SignatureProblem.mismatch(.bodyNotHashed)) { try verifier.verify(other, now: Self.now) }
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
    "bare numbers are recognized whatever their first bytes are: zeros are left out, and a high bit needs a zero"
  )
  func firstBytes() throws {
    var wanted: Set<UInt8> = [0, 1, 0x7F, 0x80, 0x81]
    let request = try signed()
    let date = try #require(request.date)
    let message = RequestSignature.stringToSign(
      date: date, bodyHash: RequestSignature.bodyHash(of: request.body), subpath: Self.path)
    // Each byte begins one of 256 numbers.
    for _ in 0..<20_000 where !wanted.isEmpty {
      let numbers = bareNumbers(try key.signature(for: message))
      let found = wanted.intersection([numbers[0], numbers[32]])
      guard !found.isEmpty else { continue }
      wanted.subtract(found)
      var request = request
      request.signature = Data(numbers).base64EncodedString()
      #expect(throws: SignatureProblem.mismatch(.rawSignature)) {
        try verifier.verify(request, now: Self.now)
      }
    }
    #expect(wanted.isEmpty)
  }

  @Test("each known mistake is recognized by name", arguments: SignatureMistake.allCases)
  func mistakes(mistake: SignatureMistake) throws {
    let body = Array("{}".utf8)
    let hash = RequestSignature.bodyHash(of: body)
    let hex = SHA256.hex(body)
    let parts: [SignatureMistake: (hash: String, path: String)] = [
      .hexBodyHash: (hex, Self.path),
      .base64OfHexBodyHash: (Data(hex.utf8).base64EncodedString(), Self.path),
      .bodyNotHashed: (RequestSignature.bodyHash(of: []), Self.path),
      .pathWithoutRoot: (hash, String(Self.path.dropFirst("/database/1".count))),
      .pathWithoutLeadingSlash: (hash, String(Self.path.dropFirst())),
      .wholeURL: (hash, "https://api.apple-cloudkit.com" + Self.path),
      .rawSignature: (hash, Self.path),
    ]
    let (bodyHash, subpath) = try #require(parts[mistake])
    let date = Self.now.wholeSeconds
    var signature = try key.signature(
      for: RequestSignature.stringToSign(date: date, bodyHash: bodyHash, subpath: subpath))
    if mistake == .rawSignature { signature = bareNumbers(signature) }
    let request = SignatureVerifier.Request(
      path: Self.path, body: body, keyID: "abc", date: date,
      signature: Data(signature).base64EncodedString())
    #expect(throws: SignatureProblem.mismatch(mistake)) { try verifier.verify(request, now: Self.now) }
  }

  /// The two numbers of a DER signature, 32 bytes each.
  private func bareNumbers(_ der: [UInt8]) -> [UInt8] {
    var rest = der.dropFirst(2)
    return (0..<2).flatMap { _ -> [UInt8] in
      let count = Int(rest[rest.startIndex + 1])
      let number = rest.dropFirst(2).prefix(count).drop { $0 == 0 }
      rest = rest.dropFirst(2 + count)
      return [UInt8](repeating: 0, count: 32 - number.count) + number
    }
  }
}
