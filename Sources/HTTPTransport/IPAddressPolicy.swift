/// A rule for the IP addresses that a request may connect to. The address of the connection decides, because a host
/// name can resolve to any address. The ranges are those of IANA's registries of special-purpose addresses
/// (Documentation/reference/feeds.md#address-policy).
package enum IPAddressPolicy: Sendable, Hashable {
  case any
  /// Only addresses of the public internet: no loopback, private, link-local, shared, reserved or multicast
  /// address, and none of these wrapped in an IPv6 address.
  case publicOnly

  /// - Parameter address: 4 or 16 bytes in network order.
  package func allows(_ address: some Collection<UInt8>) -> Bool {
    switch self {
    case .any: true
    case .publicOnly: Self.isPublic(Array(address))
    }
  }

  private static func isPublic(_ bytes: [UInt8]) -> Bool {
    switch bytes.count {
    case 4: !forbidden4.contains { $0.contains(bytes) }
    case 16:
      !forbidden6.contains { $0.contains(bytes) } && !isInternalProtocol(bytes)
        && embeddedIPv4(in: bytes).allSatisfy(isPublic)
    default: false
    }
  }

  /// The IPv4 addresses that an IPv6 address stands for: mapped and compatible (RFC 4291), translated (RFC 2765),
  /// NAT64 (RFC 6052), 6to4 (RFC 3056), and both the server and the obfuscated client of Teredo (RFC 4380).
  private static func embeddedIPv4(in bytes: [UInt8]) -> [[UInt8]] {
    let tail = Array(bytes[12...])
    if tailPrefixes.contains(where: { $0.contains(bytes) }) { return [tail] }
    if sixToFour.contains(bytes) { return [Array(bytes[2..<6])] }
    if teredo.contains(bytes) { return [Array(bytes[4..<8]), tail.map { ~$0 }] }
    return []
  }

  /// Of the addresses for protocols of the IETF, 2001::/23, a few blocks are public. Those of the nearest server of a
  /// network (RFC 7723, RFC 8155, RFC 9665) are not among them: that server is most likely inside.
  private static func isInternalProtocol(_ bytes: [UInt8]) -> Bool {
    protocols.contains(bytes) && !teredo.contains(bytes) && !publicProtocols.contains { $0.contains(bytes) }
  }

  /// Beside the ranges of the registries: multicast, the former site-local addresses (RFC 3879), and the one public
  /// address at which a host of Azure serves its guests.
  private static let forbidden4 = [
    IPAddressRange([0], 8), IPAddressRange([10], 8), IPAddressRange([100, 64], 10), IPAddressRange([127], 8),
    IPAddressRange([169, 254], 16), IPAddressRange([172, 16], 12), IPAddressRange([192, 0, 0], 24),
    IPAddressRange([192, 168], 16), IPAddressRange([198, 18], 15), IPAddressRange([224], 4),
    IPAddressRange([240], 4),
    IPAddressRange([192, 0, 2], 24), IPAddressRange([198, 51, 100], 24), IPAddressRange([203, 0, 113], 24),
    IPAddressRange([192, 88, 99], 24), IPAddressRange([168, 63, 129, 16], 32),
  ]
  private static let forbidden6 = [
    IPAddressRange([], 127), IPAddressRange([0xFC], 7), IPAddressRange([0xFE, 0x80], 10),
    IPAddressRange([0xFE, 0xC0], 10), IPAddressRange([0xFF], 8),
    IPAddressRange([0, 0x64, 0xFF, 0x9B, 0, 1], 48),
    IPAddressRange([0x20, 0x01, 0x0D, 0xB8], 32), IPAddressRange([0x3F, 0xFF], 20),
    IPAddressRange([0x01], 64), IPAddressRange([0x01, 0, 0, 0, 0, 0, 0, 0x01], 64),
    IPAddressRange([0x5F], 16),
  ]
  private static let protocols = IPAddressRange([0x20, 0x01], 23)
  /// AMT, AS112, ORCHIDv2 and drone identities.
  private static let publicProtocols = [
    IPAddressRange([0x20, 0x01, 0, 0x03], 32), IPAddressRange([0x20, 0x01, 0, 0x04, 0x01, 0x12], 48),
    IPAddressRange([0x20, 0x01, 0, 0x20], 28), IPAddressRange([0x20, 0x01, 0, 0x30], 28),
  ]
  private static let tailPrefixes = [
    IPAddressRange([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96), IPAddressRange([], 96),
    IPAddressRange([0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96),
    IPAddressRange([0, 0x64, 0xFF, 0x9B], 96),
  ]
  private static let sixToFour = IPAddressRange([0x20, 0x02], 16)
  private static let teredo = IPAddressRange([0x20, 0x01, 0, 0], 32)
}

/// The addresses that share their first bits.
private struct IPAddressRange: Sendable {
  private let prefix: [UInt8]
  private let bits: Int

  /// A prefix shorter than its bits continues with zeros.
  init(_ prefix: [UInt8], _ bits: Int) {
    self.prefix = prefix + repeatElement(0, count: max(0, (bits + 7) / 8 - prefix.count))
    self.bits = bits
  }

  func contains(_ address: [UInt8]) -> Bool {
    let whole = bits / 8
    guard address.prefix(whole) == prefix.prefix(whole) else { return false }
    guard bits % 8 > 0 else { return true }
    let mask = ~UInt8(0) << (8 - UInt8(bits % 8))
    return address[whole] & mask == prefix[whole] & mask
  }
}
