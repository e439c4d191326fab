internal import COpenSSL

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
    of parts: (
      UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer
    )
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
