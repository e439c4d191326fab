internal import Cryptography
internal import FoundationEssentials

/// A mistake in signing a request by hand. Each is recognized by trying it
/// (Documentation/reference/web-services.md#signature-refusals).
public enum SignatureMistake: String, Sendable, Hashable, CaseIterable {
  case hexBodyHash
  case base64OfHexBodyHash
  case bodyNotHashed
  case pathWithoutRoot
  case pathWithoutLeadingSlash
  case wholeURL
  case rawSignature

  public var explanation: String {
    switch self {
    case .hexBodyHash: "the body's hash was signed in hexadecimal instead of base64"
    case .base64OfHexBodyHash:
      "the hexadecimal text of the hash was encoded in base64, instead of its 32 bytes"
    case .bodyNotHashed: "the hash of an empty body was signed, but a body was sent"
    case .pathWithoutRoot: "the signed path leaves out /database/1"
    case .pathWithoutLeadingSlash: "the signed path leaves out the slash in front of 'database'"
    case .wholeURL: "the whole URL was signed instead of the path from /database on"
    case .rawSignature: "the signature is the two bare numbers (IEEE P1363) instead of ASN.1 DER"
    }
  }

  /// The first mistake that, if made, gives this very signature.
  static func explaining(
    _ signature: [UInt8], of request: SignatureVerifier.Request, date: String, with key: P256PublicKey
  ) -> SignatureMistake? {
    allCases.first { mistake in
      mistake.variants(of: request).contains { bodyHash, subpath in
        let message = RequestSignature.stringToSign(date: date, bodyHash: bodyHash, subpath: subpath)
        return key.isValid(mistake == .rawSignature ? derEncoded(signature) : signature, for: message)
      }
    }
  }

  /// What the sender would have put in the places of the body's hash and the path.
  private func variants(of request: SignatureVerifier.Request) -> [(bodyHash: String, subpath: String)] {
    let digest = SHA256.digest(request.body)
    let right = Data(digest).base64EncodedString()
    let path = request.path
    switch self {
    case .hexBodyHash: return [(digest.hexadecimal, path)]
    case .base64OfHexBodyHash: return [(Data(digest.hexadecimal.utf8).base64EncodedString(), path)]
    case .bodyNotHashed: return [(RequestSignature.bodyHash(of: []), path), ("", path)]
    case .pathWithoutRoot: return path.hasPrefix("/database/1") ? [(right, String(path.dropFirst(11)))] : []
    case .pathWithoutLeadingSlash: return [(right, String(path.dropFirst()))]
    case .wholeURL: return [(right, "https://api.apple-cloudkit.com" + path)]
    case .rawSignature: return [(right, path)]
    }
  }

  /// Two 32-byte numbers as the ASN.1 SEQUENCE that ECDSA verification expects; anything else as it is.
  private static func derEncoded(_ signature: [UInt8]) -> [UInt8] {
    guard signature.count == 64 else { return signature }
    let numbers = [signature[..<32], signature[32...]].flatMap { half -> [UInt8] in
      var digits = Array(half.drop { $0 == 0 })
      if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
      return [0x02, UInt8(digits.count)] + digits
    }
    return [0x30, UInt8(numbers.count)] + numbers
  }
}
