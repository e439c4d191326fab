/// How far a request came before it failed. It shows whether the host was reached, whatever the error is called
/// (Documentation/reference/feeds.md#own-outage).
package struct ConnectionTrace: Sendable, Hashable {
  package enum Step: Sendable, Hashable {
    /// The host's name was not resolved.
    case started
    case resolved
    /// The TCP connection stands, but not yet TLS, if the request needs it.
    case connected
    /// The request could be sent.
    case ready
    /// At least one byte of the answer arrived.
    case answered
  }

  package var step: Step
  /// The host's name was not resolved, and no name server said that it has no address.
  package var isUnanswered = false
  /// The address that failed, after redirects; `nil` when it is that of the request.
  package var redirectedTo: String?
  /// The network of the host's address; `nil` when no address was tried.
  package var network: IPNetwork?
  /// The time until the failure, redirects included.
  package var elapsed = Duration.zero
  /// The server sent a certificate, which was refused.
  package var hasCertificate = false
  /// Who issued that certificate, as `CertificateIssuer` of Cryptography identifies them; `nil` unless the certificate was
  /// refused because the issuer is not trusted, and not for its dates or names.
  package var untrustedIssuer: String?
  /// Identifies, in this process, that certificate if it was refused only because it names other hosts.
  package var foreignCertificate: Int?
  package var isSecure = false

  package init(step: Step) { self.step = step }

  init(_ kind: HTTPFailure.Kind) {
    switch kind {
    case .dns, .invalidRequest: self.init(step: .started)
    case .connect, .proxy, .addressForbidden: self.init(step: .resolved)
    case .tls: self.init(step: .connected)
    default: self.init(step: .answered)
    }
    hasCertificate = kind == .tls
  }
}

/// A network that usually has one operator: the addresses with the same first 24 bits, in IPv6 with the same first 48. Each
/// address of this machine is a network of its own.
package struct IPNetwork: Sendable, Hashable {
  private let prefix: [UInt8]

  /// - Parameter address: 4 or 16 bytes in network order.
  package init(_ address: some Collection<UInt8>) {
    let bytes = Array(address)
    if bytes.count == 4, bytes.first == 127 {
      prefix = bytes
    } else if bytes == Self.loopback6 {
      prefix = Self.loopback4
    } else {
      prefix = Array(bytes.prefix(bytes.count == 4 ? 3 : 6))
    }
  }

  /// A loopback address.
  package var isOfThisMachine: Bool { prefix.count == 4 }

  private static let loopback4: [UInt8] = [127, 0, 0, 1]
  /// Names such as `localhost` have both addresses.
  private static let loopback6 = [UInt8](repeating: 0, count: 15) + [1]

  package init?(_ address: String) {
    guard let bytes = IPAddressRange.address(address) else { return nil }
    self.init(bytes)
  }
}
