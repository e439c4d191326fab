import Cryptography
import FoundationEssentials
import Testing

@Suite struct P256KeyTests {
  @Test(
    "reads every PEM form that openssl writes for a P-256 key, to the same public key",
    arguments: [
      KeyFixtures.sec1, KeyFixtures.pkcs8, "junk before\n" + KeyFixtures.sec1 + "\njunk after\n",
      KeyFixtures.sec1.replacing("\n", with: "\\n"), KeyFixtures.sec1 + "\n\\",
      "\\x n\n" + KeyFixtures.sec1 + "\n\\x",
      "\\\\n" + KeyFixtures.sec1, KeyFixtures.sec1.replacing("\n", with: "\r\n"),
    ])
  func forms(pem: String) throws {
    let key = try P256PrivateKey(pem: Array(pem.utf8))
    #expect(try key.publicKey.pem() == KeyFixtures.publicPart + "\n")
  }

  @Test("skips the curve parameters that openssl writes before a key")
  func parameters() throws {
    let key = try P256PrivateKey(pem: Array(KeyFixtures.withParameters.utf8))
    #expect(try key.publicKey.pem() != KeyFixtures.publicPart + "\n")
  }

  static let refusals: [(String, KeyError)] = [
    ("", .notPEM),
    ("not a key", .notPEM),
    (KeyFixtures.publicPart, .publicKeyGiven),
    (KeyFixtures.encryptedSEC1, .encrypted),
    (KeyFixtures.encryptedPKCS8, .encrypted),
    (KeyFixtures.p384, .wrongCurve("secp384r1")),
    (KeyFixtures.rsa, .wrongKind("a key of the type RSA")),
    (KeyFixtures.ed25519, .wrongKind("a key of the type ED25519")),
    (
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
      .wrongKind("a PEM block named 'CERTIFICATE'")
    ),
    (String(KeyFixtures.sec1.prefix(120)), .damaged),
    (KeyFixtures.sec1.replacing("bdawmMew", with: "bd!wmMew"), .damaged),
    (KeyFixtures.sec1.replacing("MHcCAQEEICN3b67msk", with: "MHcCAQEEICN3b67msl"), .damaged),
  ]

  @Test("names what is wrong with a private key", arguments: refusals)
  func refusal(pem: String, expected: KeyError) {
    #expect(throws: expected) { try P256PrivateKey(pem: Array(pem.utf8)) }
  }

  @Test("names what is wrong with a public key")
  func publicRefusal() {
    #expect(throws: KeyError.privateKeyGiven) { try P256PublicKey(pem: Array(KeyFixtures.sec1.utf8)) }
    #expect(throws: KeyError.damaged) {
      try P256PublicKey(pem: Array(KeyFixtures.publicPart.dropLast(60).utf8))
    }
    #expect(throws: KeyError.notPEM) { try P256PublicKey(pem: [0xFF, 0x00]) }
  }

  @Test("verifies a signature made by openssl")
  func interoperates() throws {
    let key = try P256PublicKey(pem: Array(KeyFixtures.publicPart.utf8))
    let signature = try #require(Data(base64Encoded: KeyFixtures.signatureOfHello))
    #expect(key.isValid(Array(signature), for: Array("hello".utf8)))
    #expect(!key.isValid(Array(signature), for: Array("hellO".utf8)))
  }

  @Test("a signature is valid only for its own message and key, and never after a change")
  func signatures() throws {
    let key = try P256PrivateKey.generate()
    let message = Array("2016-01-25T22:15:43Z:hash:/database/1/".utf8)
    let signature = try key.signature(for: message)
    #expect(key.publicKey.isValid(signature, for: message))
    #expect(!(try P256PrivateKey.generate().publicKey.isValid(signature, for: message)))
    for index in signature.indices {
      var damaged = signature
      damaged[index] ^= 0x01
      #expect(!key.publicKey.isValid(damaged, for: message))
      #expect(!key.publicKey.isValid(Array(signature[..<index]), for: message))
    }
  }

  @Test("a written key can be read again, and printing a key never shows it")
  func secrecy() throws {
    let key = try P256PrivateKey.generate()
    let pem = try key.secretPEM()
    let again = try P256PrivateKey(pem: pem)
    #expect(try again.publicKey.pem() == key.publicKey.pem())
    var dumped = ""
    dump(key, to: &dumped)
    #expect("\(key) \(String(reflecting: key)) \(dumped)".contains("redacted"))
    #expect(!dumped.contains("0x") && !String(reflecting: [key]).contains("0x"))
  }

  @Test("a key of which a bit is changed, or the end is missing, is refused or signs for its public key")
  func mutations() throws {
    let message = Array("hello".utf8)
    for pem in [KeyFixtures.sec1, KeyFixtures.pkcs8, KeyFixtures.encryptedPKCS8].map({ Array($0.utf8) }) {
      for index in pem.indices {
        let prefix = Array(pem[..<index])
        #expect(throws: KeyError.self) { try P256PublicKey(pem: prefix) }
        for bit in 0..<8 {
          var changed = pem
          changed[index] ^= 1 << bit
          for text in bit == 0 ? [changed, prefix] : [changed] {
            guard let key = try? P256PrivateKey(pem: text) else { continue }
            #expect(key.publicKey.isValid(try key.signature(for: message), for: message), "\(index), \(bit)")
          }
        }
      }
    }
  }
}
