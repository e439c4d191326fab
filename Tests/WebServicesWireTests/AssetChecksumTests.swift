import Testing
import WebServicesWire

@Suite struct AssetChecksumTests {
  static let signatures: [([UInt8], String)] = [
    ([], "AW2cWT2PxzWixMKuuNMTHJ8CJ3sH"), (Array("abc".utf8), "AYnnoj1r4lMYTs3JP/g7mjGaDCgO"),
    (Array(0...255), "AWZ9n6bnl101EYwlLRpEBwU5EM+Y"),
  ]

  @Test("a checksum is that of another implementation (Python's hashlib)", arguments: signatures)
  func signature(_ bytes: [UInt8], _ text: String) {
    #expect(AssetChecksum.signature.text(of: bytes) == text)
  }

  @Test("the other form is SHA-256 in base64")
  func sha256() {
    #expect(AssetChecksum.sha256.text(of: []) == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
  }
}
