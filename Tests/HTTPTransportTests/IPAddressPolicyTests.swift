import CurlShim
import HTTPTransport
import Testing

@Suite("Address policy")
struct IPAddressPolicyTests {
  @Test(
    "public addresses are allowed",
    arguments: [
      "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "198.17.0.1",
      "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "::ffff:8.8.8.8",
      "64:ff9b::808:808", "2002:808:808::1", "192.0.3.1", "198.51.101.1", "203.0.112.1", "192.88.98.1",
      "168.63.129.15", "168.63.129.17", "2001:db7::1", "2001:db9::1", "3fff:1000::1", "100:0:0:2::1",
      "5eff:ffff::", "5f01::",
      "::ffff:0:8.8.8.8", "::8.8.8.8", "64:ff9b::c0a7:ffff", "64:ff9a:ffff:ffff::", "64:ff9b:0:ffff::",
      "64:ff9b:2::",
      "fbff:ffff::", "fe00::", "fe7f:ffff::", "ff:ffff::", "fff::", "ff::1", "2001:0:808:808::f7f7:f7f7",
      "2001:200::", "2001:3::1", "2001:4:112::1", "2001:20::1", "2001:3f::1", "2003:7f00:1::",
      "2001:7f00:1::",
    ])
  func allowed(_ text: String) throws {
    #expect(IPAddressPolicy.publicOnly.allows(try address(text)))
  }

  @Test(
    "loopback, private and reserved addresses are refused",
    arguments: [
      "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.9.9.9",
      "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.168.1.1", "198.18.0.1",
      "198.19.255.255", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fc00::1",
      "fdff::1", "fe80::1", "febf::1", "ff02::1", "192.0.2.1", "198.51.100.1", "203.0.113.255", "192.88.99.1",
      "fdff:ffff::", "fe80::", "fea0::1", "febf:ffff::1", "fec0::1", "fee0::1", "feff:ffff::1",
      "ff00::", "ff80::1", "ffff:ffff::", "64:ff9b:1::", "64:ff9b:1:8000::1",
      "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "100::",
      "100::8000:0:0:1", "3fff:800::1", "2001:db8:8000::1",
      "168.63.129.16", "2001:db8::1", "2001:db8:ffff::1", "3fff::1", "3fff:fff::1", "100::1",
      "5f00::", "5f00:ffff::1", "100:0:0:1::1", "2001:1::1", "2001:1::3", "2001:2::1", "2001:4:111::",
      "2001:4:113::",
      "2001:10::1", "2001:1f::1", "2001:40::", "2001:1ff:ffff::1",
    ])
  func forbidden(_ text: String) throws {
    #expect(!IPAddressPolicy.publicOnly.allows(try address(text)))
    #expect(IPAddressPolicy.any.allows(try address(text)))
  }

  @Test(
    "every range of IPv4 is refused from its first address to its last, and the addresses around it are not")
  func ranges() {
    let ranges: [ClosedRange<UInt32>] = [
      0x0000_0000...0x00FF_FFFF,  // this network
      0x0A00_0000...0x0AFF_FFFF,  // private
      0x6440_0000...0x647F_FFFF,  // shared by the customers of a provider
      0x7F00_0000...0x7FFF_FFFF,  // loopback
      0xA83F_8110...0xA83F_8110,  // Azure's host
      0xA9FE_0000...0xA9FE_FFFF,  // link-local
      0xAC10_0000...0xAC1F_FFFF,  // private
      0xC000_0000...0xC000_00FF,  // protocol assignments
      0xC000_0200...0xC000_02FF,  // examples
      0xC058_6300...0xC058_63FF,  // relays of 6to4
      0xC0A8_0000...0xC0A8_FFFF,  // private
      0xC612_0000...0xC613_FFFF,  // benchmarks
      0xC633_6400...0xC633_64FF,  // examples
      0xCB00_7100...0xCB00_71FF,  // examples
      0xE000_0000...0xFFFF_FFFF,  // multicast, reserved, broadcast
    ]
    func isAllowed(_ address: UInt32) -> Bool {
      IPAddressPolicy.publicOnly.allows(withUnsafeBytes(of: address.bigEndian, Array.init))
    }
    for range in ranges {
      let middle = range.lowerBound + (range.upperBound - range.lowerBound) / 2
      for address in [
        range.lowerBound, middle, middle + (middle < range.upperBound ? 1 : 0), range.upperBound,
      ] {
        #expect(!isAllowed(address), "\(String(address, radix: 16))")
      }
      if range.lowerBound > 0 { #expect(isAllowed(range.lowerBound - 1), "before \(range)") }
      if range.upperBound < .max { #expect(isAllowed(range.upperBound + 1), "after \(range)") }
    }
  }

  @Test(
    "an IPv4 address embedded in an IPv6 address is checked as IPv4",
    arguments: [
      "::ffff:127.0.0.1", "::ffff:0:127.0.0.1", "::ffff:a9fe:a9fe", "::10.0.0.1", "64:ff9b::7f00:1",
      "2002:7f00:1::",
      "2002:c0a8:101::1",
      "2001:0:7f00:1::", "2001:0:808:808::f5ff:fffe", "::ffff:192.168.1.1", "::ffff:0:192.168.1.1",
      "::192.168.1.1",
      "64:ff9b::c0a8:101", "2001:0:c0a8:101::f7f7:f7f7", "2001:0:808:808::3f57:fefe",
    ])
  func embedded(_ text: String) throws {
    #expect(!IPAddressPolicy.publicOnly.allows(try address(text)))
  }

  @Test("what is neither 4 nor 16 bytes long is no public address", arguments: [0, 1, 3, 5, 15, 17])
  func lengths(count: Int) {
    let bytes = [UInt8](repeating: 8, count: count)
    #expect(!IPAddressPolicy.publicOnly.allows(bytes) && IPAddressPolicy.any.allows(bytes))
  }

  @Test(
    "the host of an address is judged as it is written, and names are not looked up",
    arguments: [
      ("example.com", true), ("example.com.", true), ("1.1.1.1", true), ("[2606:4700::1111]", true),
      ("localhost", false), ("nas", false), ("a.LOCAL", false), ("a.local.", false), ("a.home.arpa", false),
      ("10.0.0.1", false), ("127.0.0.1.", false), ("[::1]", false), ("fd00::1", false),
      ("[::ffff:10.0.0.1]", false),
    ])
  func hosts(host: String, isAllowed: Bool) {
    #expect(
      IPAddressPolicy.publicOnly.allows(host: host) == isAllowed && IPAddressPolicy.any.allows(host: host))
  }

  private func address(_ text: String) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = curl_shim_parse_address(text, &bytes)
    try #require(count > 0, "\(text) is no address")
    return Array(bytes.prefix(count))
  }
}
