internal import CurlShim

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
    self == .any || Self.isPublic(Array(address))
  }

  /// Whether the host of an address may be one that the policy allows. Names are not looked up: those that networks use
  /// for themselves are refused, and any other may be allowed.
  ///
  /// - Parameter host: as in a URL; an IPv6 address with or without brackets.
  package func allows(host: String) -> Bool {
    guard self == .publicOnly else { return true }
    var host = host.lowercased()[...]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    if host.hasSuffix(".") { host = host.dropLast() }
    // As a string of its own, whose end is compared byte by byte.
    let name = String(host)
    if let address = IPAddressRange.address(name) { return allows(address) }
    return name.utf8.contains(UInt8(ascii: ".")) && !Self.internalNames.contains(where: name.hasSuffix)
  }

  /// RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`, and what home routers use.
  private static let internalNames = [".localhost", ".local", ".internal", ".lan", ".home.arpa"]

  private static func isPublic(_ bytes: [UInt8]) -> Bool {
    [4, 16].contains(bytes.count) && !bytes.isIn(forbidden) && !isInternalProtocol(bytes)
      && embeddedIPv4(in: bytes).allSatisfy(isPublic)
  }

  /// The IPv4 addresses that an IPv6 address stands for: mapped and compatible (RFC 4291), translated (RFC 2765),
  /// NAT64 (RFC 6052), 6to4 (RFC 3056), and both the server and the obfuscated client of Teredo (RFC 4380).
  private static func embeddedIPv4(in bytes: [UInt8]) -> [[UInt8]] {
    let tail = Array(bytes.suffix(4))
    if bytes.isIn(tailPrefixes) { return [tail] }
    if bytes.isIn(sixToFour) { return [Array(bytes[2..<6])] }
    if bytes.isIn(teredo) { return [Array(bytes[4..<8]), tail.map { ~$0 }] }
    return []
  }

  /// Of the addresses for protocols of the IETF a few blocks are public. Those of the nearest server of a network
  /// (RFC 7723, RFC 8155, RFC 9665) are not among them: that server is most likely inside.
  private static func isInternalProtocol(_ bytes: [UInt8]) -> Bool {
    bytes.isIn(protocols) && !bytes.isIn(teredo) && !bytes.isIn(publicProtocols)
  }

  /// Beside the ranges of the registries: multicast, the former site-local addresses (RFC 3879), and the one public
  /// address at which a host of Azure serves its guests.
  private static let forbidden = ranges(
    """
    0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 \
    198.18.0.0/15 224.0.0.0/4 240.0.0.0/4 192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 192.88.99.0/24 \
    168.63.129.16/32 \
    ::/127 fc00::/7 fe80::/10 fec0::/10 ff00::/8 64:ff9b:1::/48 2001:db8::/32 3fff::/20 100::/64 100:0:0:1::/64 \
    5f00::/16
    """)
  private static let protocols = ranges("2001::/23")
  /// AMT, AS112, ORCHIDv2 and drone identities.
  private static let publicProtocols = ranges("2001:3::/32 2001:4:112::/48 2001:20::/28 2001:30::/28")
  private static let tailPrefixes = ranges("::ffff:0:0/96 ::/96 ::ffff:0:0:0/96 64:ff9b::/96")
  private static let sixToFour = ranges("2002::/16")
  private static let teredo = ranges("2001::/32")

  private static func ranges(_ text: String) -> [IPAddressRange] {
    text.split(separator: " ").map(IPAddressRange.init)
  }
}

/// The addresses that share their first bits.
struct IPAddressRange: Sendable {
  private let prefix: [UInt8]
  private let bits: Int

  /// - Parameter text: in the program itself, such as `10.0.0.0/8`.
  fileprivate init(_ text: Substring) {
    let parts = text.split(separator: "/").map(String.init)
    guard parts.count == 2, let prefix = Self.address(parts[0]), let bits = Int(parts[1]) else {
      preconditionFailure("not a range of addresses: \(text)")
    }
    self.prefix = prefix
    self.bits = bits
  }

  func contains(_ address: [UInt8]) -> Bool {
    let whole = bits / 8
    guard address.count == prefix.count, address.prefix(whole) == prefix.prefix(whole) else { return false }
    guard bits % 8 > 0 else { return true }
    let mask = ~UInt8(0) << (8 - UInt8(bits % 8))
    return address[whole] & mask == prefix[whole] & mask
  }

  /// The 4 or 16 bytes of an address; `nil` for any other text.
  static func address(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = curl_shim_parse_address(text, &bytes)
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }
}

extension [UInt8] {
  fileprivate func isIn(_ ranges: [IPAddressRange]) -> Bool { ranges.contains { $0.contains(self) } }
}
