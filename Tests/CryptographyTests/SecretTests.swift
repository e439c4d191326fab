import Cryptography
import Testing

@Suite struct SecretTests {
  @Test("secrets are equal when their bytes are")
  func equality() {
    let secrets = ["", "a", "abc", "abd", "bbc", "abcd", "e\u{301}", "\u{E9}"].map(Secret.init)
    for (index, secret) in secrets.enumerated() {
      for (other, otherSecret) in secrets.enumerated() {
        #expect((secret == otherSecret) == (index == other))
      }
    }
  }

  @Test("a random secret has 128 bits and is not made twice")
  func random() {
    let secrets = (0..<10).map { _ in Secret.random() }
    for secret in secrets {
      #expect(secret.exposed.count == 32 && secret.exposed.allSatisfy { "0123456789abcdef".contains($0) })
    }
    #expect(Set(secrets).count == 10)
  }

  @Test("a secret shows itself in no text")
  func redaction() {
    let secret = Secret("sekret")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(
      "\(secret)" == "[redacted]" && String(reflecting: secret) == "[redacted]" && !dumped.contains("sekret"))
  }
}
