import Cryptography
import Testing

@Suite struct DigestContextTests {
  private let context = DigestContext()

  private func isDigest(_ text: String, of parts: (String, String, String)) -> Bool? {
    Array(text.utf8).withUnsafeBytes { text in
      Array(parts.0.utf8).withUnsafeBytes { first in
        Array(parts.1.utf8).withUnsafeBytes { second in
          Array(parts.2.utf8).withUnsafeBytes { third in context.isDigest(text, of: (first, second, third)) }
        }
      }
    }
  }

  /// The FIPS 180 examples.
  private static let ofABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  private static let ofNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  @Test("a digest is that of the joined parts, one after the other, however the text is divided")
  func joined() {
    for _ in 0..<2 {
      for parts in [("a", "b", "c"), ("abc", "", ""), ("", "ab", "c"), ("", "", "abc")] {
        #expect(isDigest(Self.ofABC, of: parts) == true)
        #expect(isDigest(Self.ofNothing, of: parts) == false)
      }
      #expect(isDigest(Self.ofNothing, of: ("", "", "")) == true)
      #expect(isDigest(Self.ofABC, of: ("c", "b", "a")) == false)
    }
  }

  @Test("a text in which one digit differs, or that is shorter or longer, is no digest")
  func changed() {
    for index in 0..<64 {
      var digits = Array(Self.ofABC)
      digits[index] = digits[index] == "0" ? "1" : "0"
      #expect(isDigest(String(digits), of: ("abc", "", "")) == false)
    }
    for text in [
      "", String(Self.ofABC.dropLast()), Self.ofABC + "0", Self.ofABC + "00", Self.ofABC.uppercased(),
    ] {
      #expect(isDigest(text, of: ("abc", "", "")) == false)
    }
  }
}
