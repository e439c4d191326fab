internal import COpenSSL

/// The X.509 certificate of a person for whom content is encrypted: only the holder of its private key can read the
/// result (CMS, RFC 5652).
///
/// Its description and its errors never contain the person's name, which a certificate usually has.
///
/// Unchecked Sendable: the certificate never changes after `init`, and OpenSSL 3 guards what it caches in one by a lock of
/// its own (openssl-threads(7)).
package final class RecipientCertificate: @unchecked Sendable {
  private let pointer: OpaquePointer

  /// The least size of a key in bits: both have a strength of 112 bits (NIST SP 800-57 part 1, table 2;
  /// Documentation/Privacy.md#export).
  static let minBits = (rsa: 2048, ellipticCurve: 224)
  /// The largest content in bytes: OpenSSL counts the bytes of a buffer in 32 bits.
  static let maxContentSize = 1 << 30

  /// Reads the first certificate of a PEM text.
  ///
  /// Accepts RSA keys, and elliptic-curve keys on a known curve, of at least ``minBits``. Throws ``CertificateError`` for a
  /// certificate that is not valid at the moment, or that is not for encryption: its key usage lacks keyEncipherment (RSA)
  /// or keyAgreement (elliptic curve), or its extended key usage lacks email protection (RFC 5280, 4.2.1.3 and 4.2.1.12;
  /// RFC 8550, 4.4.4). A certificate without these extensions is not restricted. Who issued the certificate is not checked.
  ///
  /// - Parameter seconds: the present moment, since 1970.
  package init(pem bytes: [UInt8], at seconds: Int64) throws(CertificateError) {
    defer { ERR_clear_error() }
    guard let text = try? PEMBlock(bytes) else { throw .notPEM }
    if text.labels.contains(where: { $0.hasSuffix("PRIVATE KEY") }) { throw .privateKeyGiven }
    guard text.label == "CERTIFICATE" || text.label == "TRUSTED CERTIFICATE" else {
      throw .otherContent(text.label)
    }
    guard let certificate = withInput(text.bytes, { PEM_read_bio_X509_AUX($0, nil, nil, nil) }) else {
      throw .damaged
    }
    pointer = certificate
    try checkValidity(at: seconds)
    try checkUse()
  }

  deinit { X509_free(pointer) }

  /// The content in a CMS envelope as PEM text, encrypted with AES-256 in CBC mode: of the modes, the one that every
  /// program for CMS can read. Each call returns a different text.
  ///
  /// `openssl cms -decrypt -inform PEM -in FILE -inkey KEY.pem` opens it.
  package func encrypt(_ content: [UInt8]) throws(CertificateError) -> [UInt8] {
    defer { ERR_clear_error() }
    guard content.count <= Self.maxContentSize else { throw .contentTooLarge }
    let binary = UInt32(CMS_BINARY)
    guard let envelope = CMS_encrypt(nil, nil, EVP_aes_256_cbc(), binary | UInt32(CMS_PARTIAL)) else {
      throw .failed("make the envelope")
    }
    defer { CMS_ContentInfo_free(envelope) }
    try addRecipient(to: envelope)
    guard withInput(content, { CMS_final(envelope, $0, nil, binary) }) == 1 else {
      throw .failed("encrypt the content")
    }
    guard let text = output({ PEM_write_bio_CMS($0, envelope) == 1 }) else {
      throw .failed("write the envelope")
    }
    return text
  }

  private func checkValidity(at seconds: Int64) throws(CertificateError) {
    var now = time_t(seconds)
    // Positive when the first is later, 0 when it cannot be read.
    let (start, end) = (
      X509_cmp_time(X509_get0_notBefore(pointer), &now), X509_cmp_time(X509_get0_notAfter(pointer), &now)
    )
    guard start != 0, end != 0 else { throw .damaged }
    if start > 0 { throw .notYetValid }
    if end < 0 { throw .expired }
  }

  /// The usages are UInt32.max in a certificate without the extension.
  private func checkUse() throws(CertificateError) {
    guard let key = X509_get0_pubkey(pointer) else { throw .damaged }
    let needed: Int32
    if EVP_PKEY_is_a(key, "RSA") == 1 {
      needed = KU_KEY_ENCIPHERMENT
    } else if EVP_PKEY_is_a(key, "EC") == 1 {
      needed = KU_KEY_AGREEMENT
    } else {
      throw .unusableKey(EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown")
    }
    try checkStrength(of: key)
    guard X509_get_key_usage(pointer) & UInt32(needed) != 0,
      X509_get_extended_key_usage(pointer) & UInt32(XKU_SMIME | XKU_ANYEKU) != 0
    else { throw .notForEncryption }
  }

  /// OpenSSL takes the size of a curve from the order that the parameters state. Only for a known curve is that order
  /// true; OpenSSL finds its name also where a certificate has the numbers in place of the name.
  private func checkStrength(of key: OpaquePointer) throws(CertificateError) {
    let bits = Int(EVP_PKEY_get_bits(key))
    let needed = EVP_PKEY_is_a(key, "RSA") == 1 ? Self.minBits.rsa : Self.minBits.ellipticCurve
    guard bits >= needed else { throw .weakKey(bits: max(0, bits), needed: needed) }
    if EVP_PKEY_is_a(key, "EC") == 1 {
      var length = 0
      guard EVP_PKEY_get_group_name(key, nil, 0, &length) == 1, length > 0 else { throw .unknownStrength }
    }
    guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { throw .failed("check the key") }
    defer { EVP_PKEY_CTX_free(context) }
    guard EVP_PKEY_public_check(context) == 1 else { throw .unknownStrength }
  }

  /// An RSA key encrypts with OAEP, because the older padding has known attacks (RFC 8017, 7.2). Both kinds of keys use
  /// SHA-256, because OpenSSL's default here is SHA-1.
  private func addRecipient(to envelope: OpaquePointer) throws(CertificateError) {
    guard let recipient = CMS_add1_recipient_cert(envelope, pointer, UInt32(CMS_KEY_PARAM)),
      let key = X509_get0_pubkey(pointer), let context = CMS_RecipientInfo_get0_pkey_ctx(recipient)
    else { throw .failed("encrypt for this certificate") }
    let isSet =
      EVP_PKEY_is_a(key, "RSA") == 1
      ? EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
        && EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1
        && EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1
      : EVP_PKEY_CTX_set_ecdh_kdf_md(context, EVP_sha256()) == 1
    guard isSet else { throw .failed("encrypt for this certificate") }
  }
}

extension RecipientCertificate: CustomStringConvertible, CustomReflectable {
  package var description: String { "certificate [redacted]" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The error for a certificate that content cannot be encrypted for. No case contains a name.
package enum CertificateError: Error, Sendable, Hashable {
  case notPEM
  /// The file contains a private key, which only the person may have.
  case privateKeyGiven
  /// Another PEM block, by its label.
  case otherContent(String)
  /// The PEM frame is there, but its content is not a certificate.
  case damaged
  case expired
  case notYetValid
  case notForEncryption
  /// A kind of key that cannot encrypt, by OpenSSL's name.
  case unusableKey(String)
  case weakKey(bits: Int, needed: Int)
  /// The parameters of the key are those of no known curve, so that its strength is not known, or contradict each other.
  case unknownStrength
  case contentTooLarge
  case failed(String)
}

extension CertificateError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notPEM: "the certificate is not PEM text: there is no '-----BEGIN' line"
    case .privateKeyGiven: "the file contains a private key; only the certificate is needed"
    case .otherContent(let label): "this is a PEM block named '\(label)', not a certificate"
    case .damaged: "the certificate is damaged: its PEM text does not decode to a complete certificate"
    case .expired: "the certificate has expired"
    case .notYetValid: "the certificate is not valid yet"
    case .notForEncryption: "the certificate is not for encryption: its key usage excludes it"
    case .unusableKey(let kind): "the certificate has a key of the type \(kind), which cannot encrypt"
    case .weakKey(let bits, let needed):
      "the certificate's key has \(bits) bits; \(needed) are needed for a key of this kind"
    case .unknownStrength:
      "the strength of the certificate's key is not known: its numbers are not those of a known kind"
    case .contentTooLarge: "the content is larger than \(RecipientCertificate.maxContentSize >> 20) MiB"
    case .failed(let what): "OpenSSL could not \(what)"
    }
  }

  package var hint: String? {
    switch self {
    case .notPEM: "Convert it: openssl x509 -inform DER -in CERT.cer -out CERT.pem"
    case .privateKeyGiven:
      "Give the certificate alone. If the key was sent to others, its owner needs a new one: it is no longer secret."
    case .otherContent, .damaged: "Give the certificate as PEM text, complete with its first and last line."
    case .expired, .notForEncryption, .unusableKey, .weakKey, .unknownStrength:
      "Another certificate is needed. Documentation/Privacy.md shows how to make one."
    case .notYetValid: "Check the clock of this machine, or wait until the certificate is valid."
    case .contentTooLarge, .failed: nil
    }
  }
}

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
