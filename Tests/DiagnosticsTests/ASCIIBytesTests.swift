import Diagnostics
import Testing

/// The classes of ASCII bytes, for each of the 256 bytes.
@Suite struct ASCIIBytesTests {
  private func bytes(where isMember: (UInt8) -> Bool) -> String {
    String(decoding: (UInt8.min...UInt8.max).filter(isMember), as: UTF8.self)
  }

  @Test("each class has its bytes and no others")
  func classes() {
    #expect(bytes(where: \.isASCIIDigit) == "0123456789")
    #expect(bytes(where: \.isASCIILetter) == "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    #expect(bytes(where: \.isHexDigit) == "0123456789ABCDEFabcdef")
  }
}
