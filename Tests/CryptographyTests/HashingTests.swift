import Cryptography
import Testing

@Suite struct HashingTests {
  @Test("SHA-256 of the FIPS 180 examples")
  func sha256() {
    #expect(SHA256.hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(SHA256.hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test("SHA-1 of the FIPS 180 examples")
  func sha1() {
    #expect(SHA1.digest(Array("abc".utf8)).hexadecimal == "a9993e364706816aba3e25717850c26c9cd0d89d")
    #expect(SHA1.digest([]).hexadecimal == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
  }

  @Test("UUIDv5 in the URL namespace agrees with other implementations")
  func uuid() {
    #expect(UUIDv5.url("http://www.example.com/") == "fcde3c85-2270-590f-9e7c-ee003d65e0e2")
  }

  @Test("a secret is left out of a text, whatever it is joined with, and a few letters are not")
  func redaction() {
    #expect(Secret("sekret").redacted(in: "a=sekret\u{301}&sekret") == "a=[redacted]\u{301}&[redacted]")
    #expect(Secret("token").redacted(in: "a token") == "a token")
    #expect(Secret("").redacted(in: "a") == "a")
  }
}
