import Testing

@testable import HTTPTransport

@Suite("Proxy settings")
struct ProxySettingsTests {
  @Test(
    "the variables are read as libcurl documents them",
    arguments: [
      (["https_proxy": "a", "HTTPS_PROXY": "b", "all_proxy": "c"], "a"),
      (["https_proxy": "", "HTTPS_PROXY": "b", "all_proxy": "c"], "b"),
      (["all_proxy": "c", "ALL_PROXY": "d"], "c"), (["ALL_PROXY": "d"], "d"), (["HTTP_PROXY": "e"], nil),
      (["http_proxy": "e"], nil), ([:], nil),
    ] as [([String: String], String?)])
  func variables(_ environment: [String: String], _ expected: String?) throws {
    let request = HTTPRequest(url: "https://api.apple-cloudkit.com/x")
    #expect(try ProxySettings(environment).proxy(for: request)?.address == expected)
  }

  @Test(
    "plain http, this machine and requests with an address policy use no proxy",
    arguments: [
      ("https://api.example/x", IPAddressPolicy.any, true), ("HTTPS://API.example:8443/x", .any, true),
      ("https://api.example/x", .publicOnly, false), ("http://api.example/x", .any, false),
      ("https://localhost/x", .any, false), ("https://localhost./x", .any, false),
      ("https://127.0.0.1:8443/x", .any, false), ("https://127.9.9.9/x", .any, false),
      ("https://[::1]:8443/x", .any, false), ("https://x.localhost/x", .any, false),
    ])
  func scope(_ url: String, _ policy: IPAddressPolicy, _ isUsed: Bool) throws {
    let settings = ProxySettings(["HTTPS_PROXY": "http://proxy.example:3128"])
    let request = HTTPRequest(url: url, addressPolicy: policy)
    #expect(try (settings.proxy(for: request) != nil) == isUsed)
  }

  @Test("hosts to reach directly are handed to libcurl", arguments: ["no_proxy", "NO_PROXY"])
  func directHosts(_ name: String) throws {
    let settings = ProxySettings(["HTTPS_PROXY": "p", name: ".corp.example,10.0.0.0/8"])
    let proxy = try settings.proxy(for: HTTPRequest(url: "https://api.example/"))
    #expect(proxy?.directHosts == ".corp.example,10.0.0.0/8")
  }

  @Test("a proxy of an unknown kind is refused without its address")
  func unknownKind() throws {
    let settings = ProxySettings(["HTTPS_PROXY": "ftp://ann:secret@proxy.example"])
    let failure = #expect(throws: HTTPFailure.self) {
      _ = try settings.proxy(for: HTTPRequest(url: "https://api.example/"))
    }
    #expect(failure?.kind == .proxy)
    #expect(failure?.message.contains("secret") == false)
  }
}
