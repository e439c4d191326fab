internal import COpenSSL

/// Identifies who stands behind the certificates of a server, so that servers with the same issuer can be compared.
package enum CertificateIssuer {
  /// The SHA-256, in lowercase hex, of a certificate that issued itself, and of the issuer's name for any other; `nil` for
  /// bytes that are not a certificate. So a proxy that makes a certificate for each host is recognized whether it sends its
  /// root or not.
  ///
  /// - Parameter certificate: DER, the last one that the server sent.
  package static func digest(ofTopmost certificate: [UInt8]) -> String? {
    defer { ERR_clear_error() }
    return certificate.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      guard let parsed = d2i_X509(nil, &start, bytes.count) else { return nil }
      defer { X509_free(parsed) }
      guard let issuer = X509_get_issuer_name(parsed), let subject = X509_get_subject_name(parsed) else {
        return nil
      }
      if X509_NAME_cmp(issuer, subject) == 0 { return SHA256.hex(certificate) }
      var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
      var count: UInt32 = 0
      guard X509_NAME_digest(issuer, EVP_sha256(), &digest, &count) == 1 else { return nil }
      return digest.prefix(Int(count)).hexadecimal
    }
  }
}
