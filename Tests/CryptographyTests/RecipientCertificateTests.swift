import Cryptography
import Testing

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
    (CertificateFixtures.weak, .weakKey(bits: 1024)),
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

  @Test("neither a certificate nor an error shows whose it is")
  func redaction() throws {
    let certificate = try certificate(CertificateFixtures.rsa)
    let texts = ["\(certificate)", String(reflecting: certificate)] + Self.refusals.map { "\($0.1)" }
    for text in texts { #expect(!text.contains("Jane")) }
  }
}
