import Cryptography
import Diagnostics
import HTTPTransport
import Testing

@testable import AdminCommands
@testable import CommandLine

/// The rule of which credential may be sent where, without a network.
@Suite("Addresses of services") struct ServiceAddressTests {
  private static let places: [Setting.Trust] = [.folder, .user, .process]

  private func setting(_ key: SettingKey, _ value: String, from place: Setting.Trust) -> Setting {
    Setting(key: key, value: value, origin: .init(name: "\(place)", trust: place))
  }

  /// - Parameter url: `nil` for Apple's address.
  private func address(
    _ url: String?, from place: Setting.Trust = .process, plainHTTPHosts: Set<String> = []
  ) throws -> ServiceAddress {
    try ServiceAddress(
      url.map { setting(.managementBaseURL, $0, from: place) }, of: .managementBaseURL,
      plainHTTPHosts: plainHTTPHosts)
  }

  private func isSent(_ credential: Credential, to address: ServiceAddress) throws -> Bool {
    do {
      _ = try address.text(for: [credential])
      return true
    } catch let failure as CommandFailure where failure.code == "untrusted-address" {
      return false
    }
  }

  @Test("a token is sent to Apple, and to an address from a place that is trusted as far as its own")
  func tokens() throws {
    for place in Self.places {
      let token = Credential.token(setting(.managementToken, "secret", from: place))
      #expect(try isSent(token, to: address(nil)))
      for other in Self.places {
        // Another program of this machine could listen at a loopback address.
        for url in ["https://other.example", "http://127.0.0.1:8080"] {
          #expect(
            try isSent(token, to: address(url, from: other)) == (other >= place), "\(place) to \(other)")
        }
      }
    }
  }

  @Test("a saved token is sent to the address that was saved with it, and without one to Apple")
  func savedTokens() throws {
    let own = Credential.saved(.init(token: Secret("secret"), address: "https://own.example/path"))
    let old = Credential.saved(.init(token: Secret("secret"), address: nil))
    for place in Self.places {
      let (ownAddress, other) = (
        try address("https://own.example:443", from: place), try address("https://other.example", from: place)
      )
      #expect(try isSent(own, to: ownAddress) && !isSent(own, to: other))
      #expect(try !isSent(old, to: ownAddress) && !isSent(old, to: other))
    }
    #expect(try isSent(old, to: address(nil)) && !isSent(own, to: address(nil)))
  }

  @Test("the address of a folder gets signed requests on this machine only")
  func signatures() throws {
    for (url, place, expected) in [
      ("https://other.example", Setting.Trust.folder, false), ("http://127.0.0.1:8080", .folder, true),
      ("https://other.example", .user, true), ("https://other.example", .process, true),
    ] {
      #expect(try isSent(.signature, to: address(url, from: place)) == expected, "\(url) from \(place)")
    }
    #expect(try isSent(.signature, to: address(nil)))
  }

  @Test("an address from a file of another user is not used, wherever it leads")
  func foreignFiles() throws {
    let file = Setting.ForeignFile(path: "/shared/celestra-admin.json", user: 1234)
    for url in ["http://127.0.0.1:8080", "https://other.example", "https://api.apple-cloudkit.com"] {
      for key in [SettingKey.baseURL, .managementBaseURL] {
        let foreign = Setting(
          key: key, value: url, origin: .init(name: file.path, trust: .folder, foreignFile: file))
        let failure = #expect(throws: CommandFailure.self) {
          try ServiceAddress(foreign, of: key, plainHTTPHosts: [])
        }
        #expect(failure?.code == "untrusted-address" && failure?.status == .denied)
        #expect(failure?.message.contains("/shared/celestra-admin.json, because another user (1234)") == true)
        #expect(failure?.hint?.contains("Set \(key.variable) in the environment") == true)
      }
    }
  }

  @Test("plain http reaches this machine and hosts that the process names")
  func plainHTTP() throws {
    for place in Self.places {
      let failure = #expect(throws: CommandFailure.self) { try address("http://other.example", from: place) }
      #expect(failure?.code == "untrusted-address")
      for (url, hosts) in [
        ("http://127.0.0.1:8080", []), ("https://other.example", []),
        ("http://other.example:8080", ["other.example"]),
      ] as [(String, Set<String>)] {
        #expect(try address(url, from: place, plainHTTPHosts: hosts).url.text.hasPrefix(url))
      }
    }
  }

  @Test(
    "a name that only looks like Apple's gets neither a token nor a signature of a folder's address",
    arguments: [
      "https://api.apple-cloudkit.com.evil.example", "https://evil.example/api.apple-cloudkit.com",
      "https://xapi.apple-cloudkit.com", "https://apple-cloudkit.com", "https://api.apple-cloudkit.com:8443",
      "https://api.apple-cloudkit.com@evil.example", "https://evil.example#api.apple-cloudkit.com",
      "https://evil.example?https://api.apple-cloudkit.com", "https://api.apple-cloudkit.com\\@evil.example",
      "https://api.apple-cloudkit.com%2eevil.example", "https://api.apple-cloudkit.com\t.evil.example",
      "https://\u{430}pi.apple-cloudkit.com", "https://api\u{3002}apple-cloudkit\u{3002}com.evil.example",
      "http://api.apple-cloudkit.com", "https:api.apple-cloudkit.com", "//api.apple-cloudkit.com",
      "https://api.apple-cloudkit.co\u{FF4D}.evil.example", "https://[api.apple-cloudkit.com]",
    ])
  func similarNames(_ url: String) throws {
    for credential in [
      Credential.signature, .token(setting(.managementToken, "secret", from: .process)),
      .saved(.init(token: Secret("secret"), address: nil)),
    ] {
      #expect(throws: CommandFailure.self) { try address(url, from: .folder).text(for: [credential]) }
    }
  }
}
