import FoundationEssentials
import Testing

@testable import Cryptography

/// That the person's key opens an envelope is tested with the `openssl` command, in `PersonRequestTests`.
@Suite struct RecipientCertificateTests {
  private static let now: Int64 = 1_800_000_000
  private static let content = Array("what the database knows".utf8)

  private func certificate(_ pem: String, at seconds: Int64 = now) throws -> RecipientCertificate {
    try RecipientCertificate(pem: Array(pem.utf8), at: seconds)
  }

  @Test(
    "encrypts for RSA and elliptic-curve certificates, each time differently",
    arguments: [
      CertificateFixtures.rsa, CertificateFixtures.ellipticCurve, CertificateFixtures.unrestricted,
      CurveFixtures.binaryCurve, CurveFixtures.parameters,
      "junk\n" + CertificateFixtures.rsa + "\n" + CertificateFixtures.forServers,
    ])
  func encrypts(pem: String) throws {
    let certificate = try certificate(pem)
    let texts = try (1...2).map { _ in try String(decoding: certificate.encrypt(Self.content), as: UTF8.self)
    }
    #expect(texts[0] != texts[1])
    for text in texts {
      #expect(text.hasPrefix("-----BEGIN CMS-----\n") && text.hasSuffix("-----END CMS-----\n"))
    }
  }

  @Test("a certificate with settings of OpenSSL is a certificate as well")
  func trusted() throws {
    let trusted = CertificateFixtures.rsa.replacing(" CERTIFICATE", with: " TRUSTED CERTIFICATE")
    #expect(try !certificate(trusted).encrypt(Self.content).isEmpty)
  }

  @Test(
    "an RSA key encrypts with OAEP (RFC 8017, 7.2), and the content is encrypted with AES-256 in CBC mode")
  func algorithms() throws {
    func envelope(_ pem: String) throws -> Data {
      let lines = try String(decoding: certificate(pem).encrypt(Self.content), as: UTF8.self).split(
        separator: "\n")
      return try #require(Data(base64Encoded: lines.dropFirst().dropLast().joined()))
    }
    // The object identifiers of RFC 8017, appendix A.2.1, and RFC 3565, section 4.1.
    let oaep = Data([0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x07])
    let aes256 = Data([0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2A])
    for (pem, usesOAEP) in [(CertificateFixtures.rsa, true), (CertificateFixtures.ellipticCurve, false)] {
      let envelope = try envelope(pem)
      #expect((envelope.firstRange(of: oaep) != nil) == usesOAEP)
      // SHA-256 and SHA-1: sections 2.1 of RFC 5754 and 3370.
      #expect(
        envelope.firstRange(of: Data([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01])) != nil
          || !usesOAEP)
      #expect(envelope.firstRange(of: Data([0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A])) == nil)
      // dhSinglePass-stdDH-sha256kdf-scheme, RFC 5753, section 7.1.4.
      let sha256KDF = Data([0x06, 0x06, 0x2B, 0x81, 0x04, 0x01, 0x0B, 0x01])
      #expect((envelope.firstRange(of: sha256KDF) != nil) == !usesOAEP)
      #expect(envelope.firstRange(of: aes256) != nil && envelope.firstRange(of: Self.content) == nil)
    }
  }

  @Test("the limits are those that the errors name")
  func limits() {
    #expect(RecipientCertificate.maxContentSize == 1_073_741_824)
    #expect("\(CertificateError.contentTooLarge)" == "the content is larger than 1024 MiB")
  }

  static let refusals: [(String, CertificateError)] = [
    ("", .notPEM),
    ("not a certificate", .notPEM),
    (KeyFixtures.publicPart, .otherContent("PUBLIC KEY")),
    (KeyFixtures.pkcs8, .privateKeyGiven),
    (CertificateFixtures.rsa + "\n" + KeyFixtures.sec1, .privateKeyGiven),
    (String(CertificateFixtures.rsa.prefix(400)), .damaged),
    (CertificateFixtures.rsaForSignatures, .notForEncryption),
    (CertificateFixtures.ellipticCurveForSignatures, .notForEncryption),
    (CertificateFixtures.forServers, .notForEncryption),
    (CertificateFixtures.weak, .weakKey(bits: 2047, needed: 2048)),
    (CurveFixtures.weakCurve, .weakKey(bits: 192, needed: 224)),
    (CurveFixtures.weakBinaryCurve, .weakKey(bits: 163, needed: 224)),
    (CurveFixtures.weakParameters, .weakKey(bits: 192, needed: 224)),
    (CurveFixtures.otherGenerator, .unknownStrength),
    (CertificateFixtures.ed25519, .unusableKey("ED25519")),
  ]

  @Test("names what is wrong with a certificate", arguments: refusals)
  func refusal(pem: String, expected: CertificateError) {
    #expect(throws: expected) { try certificate(pem) }
  }

  @Test("a certificate is refused before its first and after its last second")
  func validity() {
    #expect(throws: CertificateError.notYetValid) {
      try certificate(CertificateFixtures.rsa, at: 1_000_000_000)
    }
    #expect(throws: CertificateError.expired) { try certificate(CertificateFixtures.rsa, at: 8_000_000_000) }
  }

  @Test("a certificate is valid from its first second on")
  func firstSecond() throws {
    // 2026-11-23T12:44:58Z
    #expect(throws: CertificateError.notYetValid) {
      try certificate(CertificateFixtures.rsa, at: 1_795_437_897)
    }
    #expect(throws: Never.self) { try certificate(CertificateFixtures.rsa, at: 1_795_437_898) }
  }

  @Test("neither a certificate nor an error shows whose it is")
  func redaction() throws {
    let certificate = try certificate(CertificateFixtures.rsa)
    let texts = ["\(certificate)", String(reflecting: certificate)] + Self.refusals.map { "\($0.1)" }
    for text in texts { #expect(!text.contains("Jane")) }
  }
}
