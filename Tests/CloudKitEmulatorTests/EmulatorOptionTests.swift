import CloudKitModel
import Cryptography
import LocalContainer
import Testing
import WebServicesWire

@testable import CloudKitEmulator

@Suite struct EmulatorOptionTests {
  private func configuration(_ choices: String...) throws -> EmulatorConfiguration {
    var configuration = EmulatorConfiguration(container: Fixture.container)
    for choice in choices { try configuration.set(.behavior, choice) }
    return configuration
  }

  @Test("every unknown behavior of the store can be chosen by its name")
  func complete() {
    let names = Set(EmulatorOption.behaviors.map(\.name))
    #expect(names.count == EmulatorOption.behaviors.count)
    for child in Mirror(reflecting: ServerBehavior()).children {
      #expect(names.contains(child.label ?? ""), "\(child.label ?? "")")
    }
  }

  @Test(
    "an invalid choice is named",
    arguments: [
      ("updateWithoutTag", "is not name=value"), ("nothing=1", "is not a behavior"),
      ("updateWithoutTag=maybe", "takes accept or refuse"),
      ("filterValues=-1", "takes a whole number, 0 to 10000"),
      ("assetQuota=9223372036854775807", "to 1099511627776"),
      ("maximumConnections=0", "1 to 1000000"),
      ("bodyLimit=1073741825", "takes a number of bytes, 0 to 1073741824"),
      ("signatureWindow=x", "takes a number of seconds"), ("userEndpointsOfKeys=users/x", "takes operations"),
    ])
  func mistakes(_ text: String, _ words: String) {
    let error = #expect(throws: EmulatorOptionError.self) { try configuration(text) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test("users differ by their tokens, and are the same in every run")
  func users() throws {
    var configuration = try configuration()
    configuration.admitUser(Secret("one"))
    configuration.admitUser(Secret("two"))
    let names = Set(configuration.users.values.compactMap(\.userRecordName))
    #expect(names.count == 2 && names.allSatisfy { $0.hasPrefix("_") && $0.count == 33 })
  }

  private func refusal(_ option: EmulatorOption, _ text: String) -> String? {
    var configuration = EmulatorConfiguration(container: Fixture.container)
    do { try configuration.set(option, text) } catch { return error.description }
    return nil
  }

  @Test("a host is a bare name, and an origin has a scheme and a host, or is null")
  func hostsAndOrigins() throws {
    for host in ["a", "a.example", "xn--a"] { #expect(refusal(.allowedHost, host) == nil) }
    for host in ["", "a/b", "a:1", "*", "a@b", "a b"] {
      #expect(refusal(.allowedHost, host) != nil, "\(host)")
    }
    for origin in ["null", "https://a", "http://a.example:8080", "app://x"] {
      #expect(refusal(.allowedOrigin, origin) == nil, "\(origin)")
    }
    for origin in [
      "", "a", "://a", "https://", "https://a/", "https://*.a", "https://u@a", "https://a b", "NULL",
    ] {
      #expect(refusal(.allowedOrigin, origin) != nil, "\(origin)")
    }
    var configuration = EmulatorConfiguration(container: Fixture.container)
    for host in ["a", "b"] { try configuration.set(.allowedHost, host) }
    for origin in ["null", "https://a"] { try configuration.set(.allowedOrigin, origin) }
    #expect(
      configuration.allowedHosts == ["a", "b"] && configuration.allowedOrigins == ["null", "https://a"])
  }
}
