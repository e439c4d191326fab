import Testing

@testable import CloudKitEmulator

@Suite("Identifiers") struct IdentifierGeneratorTests {
  @Test("an identifier is a random UUID, and the same seed gives the same ones")
  func seeded() {
    let (first, second) = (IdentifierGenerator(seed: 7), IdentifierGenerator(seed: 7))
    for _ in 0..<200 {
      let text = first.next()
      #expect(text == second.next())
      let form = /[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}/
      #expect(text.wholeMatch(of: form) != nil, "\(text)")
    }
  }
}
