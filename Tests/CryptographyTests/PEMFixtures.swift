import Foundation

/// The text of a file of `pem`, whose README says how it was made.
private func pem(_ name: String) -> String {
  let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "pem/\(name).txt")
  return String(decoding: (try? Data(contentsOf: file).dropLast()) ?? Data(), as: UTF8.self)
}

enum KeyFixtures {
  static let sec1 = pem("key-sec1")
  static let pkcs8 = pem("key-pkcs8")
  static let publicPart = pem("key-public-part")
  static let withParameters = pem("key-with-parameters")
  static let encryptedSEC1 = pem("key-encrypted-sec1")
  static let encryptedPKCS8 = pem("key-encrypted-pkcs8")
  static let p384 = pem("key-p384")
  static let rsa = pem("key-rsa")
  static let ed25519 = pem("key-ed25519")

  /// `printf hello | openssl dgst -sha256 -sign` with ``sec1``, in base64.
  static let signatureOfHello =
    "MEQCIAvUJz23D7A4DGOcNm3Fy5CFez8OUJl1DbXSE4pqMcyEAiBW1ZNa8/MN3gsONZJTVkI4ShQytOChnL98PIGccOp+kg=="
}

enum CertificateFixtures {
  static let rsa = pem("certificate-rsa")
  static let ellipticCurve = pem("certificate-elliptic-curve")
  static let rsaForSignatures = pem("certificate-rsa-for-signatures")
  static let ellipticCurveForSignatures = pem("certificate-elliptic-curve-for-signatures")
  static let forServers = pem("certificate-for-servers")
  static let unrestricted = pem("certificate-unrestricted")
  static let weak = pem("certificate-weak")
  static let ed25519 = pem("certificate-ed25519")
}

/// Certificates on curves, for key agreement.
enum CurveFixtures {
  static let weakCurve = pem("curve-weak-curve")
  static let weakBinaryCurve = pem("curve-weak-binary-curve")
  static let weakParameters = pem("curve-weak-parameters")
  static let binaryCurve = pem("curve-binary-curve")
  static let parameters = pem("curve-parameters")
  static let otherGenerator = pem("curve-other-generator")
}
