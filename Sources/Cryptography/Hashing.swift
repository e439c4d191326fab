internal import COpenSSL

package enum SHA256 {
  package static func digest(_ bytes: [UInt8]) -> [UInt8] { Digest.sha256.of(bytes) }

  package static func digest(_ text: String) -> [UInt8] { digest(Array(text.utf8)) }

  /// 64 lowercase hexadecimal digits.
  package static func hex(_ text: String) -> String { digest(text).hexadecimal }

  package static func hex(_ bytes: [UInt8]) -> String { digest(bytes).hexadecimal }
}

/// SHA-1, computed by OpenSSL: for names and checksums whose definition requires it, never for a proof.
package enum SHA1 {
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    Digest.sha1.of(bytes)
  }
}

/// Version 5 UUIDs: names derived from other names, so that the same input has the same record name everywhere.
package enum UUIDv5 {
  /// The URL namespace of RFC 9562, section 6.6.
  private static let urlNamespace: [UInt8] = [
    0x6B, 0xA7, 0xB8, 0x11, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0x00, 0xC0, 0x4F, 0xD4, 0x30, 0xC8,
  ]

  /// The version 5 UUID (RFC 9562, section 5.5) of a name in the URL namespace, in lower case.
  package static func url(_ name: String) -> String {
    var bytes = Array(SHA1.digest(urlNamespace + Array(name.utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x50
    bytes[8] = bytes[8] & 0x3F | 0x80
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]
    return groups.map { bytes[$0].hexadecimal }.joined(separator: "-")
  }
}

extension Collection<UInt8> {
  /// Two lowercase digits for each byte.
  package var hexadecimal: String {
    String(unsafeUninitializedCapacity: count * 2) { buffer in
      var place = 0
      for byte in self {
        buffer[place] = (byte >> 4).hexadecimalDigit
        buffer[place + 1] = (byte & 0xF).hexadecimalDigit
        place += 2
      }
      return place
    }
  }
}

extension UInt8 {
  var hexadecimalDigit: UInt8 { self + (self < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
}

/// A digest function of OpenSSL, looked up once: OpenSSL 3 otherwise looks it up by name for each digest, which takes
/// longer than to digest a short text.
///
/// Sendable although it holds a pointer: OpenSSL never changes what it has looked up, and nothing frees it.
struct Digest: @unchecked Sendable {
  static let sha256 = Digest("SHA256")
  static let sha1 = Digest("SHA1")

  let function: OpaquePointer?

  private init(_ name: String) { function = EVP_MD_fetch(nil, name, nil) }

  func of(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { buffer, count in
      var written: UInt32 = 0
      precondition(
        EVP_Digest(bytes, bytes.count, buffer.baseAddress, &written, function, nil) == 1,
        "OpenSSL cannot compute a digest")
      count = Int(written)
    }
  }
}

/// Computes many SHA-256 digests one after the other: OpenSSL is set up once, not for each digest.
package final class DigestContext {
  private let context = EVP_MD_CTX_new()
  private let isReady: Bool

  package init() { isReady = EVP_DigestInit_ex(context, Digest.sha256.function, nil) == 1 }

  deinit { EVP_MD_CTX_free(context) }

  /// Whether the text is the digest of the three parts, joined, in 64 lowercase hexadecimal digits; `nil` when OpenSSL
  /// fails.
  package func isDigest(
    _ text: UnsafeRawBufferPointer,
    of parts: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer)
  ) -> Bool? {
    guard isReady, EVP_DigestInit_ex(context, nil, nil) == 1, add(parts.0), add(parts.1), add(parts.2) else {
      return nil
    }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(EVP_MAX_MD_SIZE)) { digest -> Bool? in
      var count: UInt32 = 0
      guard EVP_DigestFinal_ex(context, digest.baseAddress, &count) == 1 else { return nil }
      guard text.count == Int(count) * 2 else { return false }
      for index in 0..<Int(count) {
        guard text[index * 2] == (digest[index] >> 4).hexadecimalDigit,
          text[index * 2 + 1] == (digest[index] & 0xF).hexadecimalDigit
        else { return false }
      }
      return true
    }
  }

  private func add(_ bytes: UnsafeRawBufferPointer) -> Bool {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
  }
}
