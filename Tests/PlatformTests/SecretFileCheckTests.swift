import Foundation
import Testing

@testable import Platform

@Suite struct SecretFileCheckTests {
  @Test(
    "warns about an own file that the group or others can access", arguments: [0o644, 0o640, 0o602, 0o610])
  func open(mode: Int) throws {
    let warning = try withFile(mode: mode) { SecretFileCheck.warning(path: $0, content: "key") }
    #expect(warning?.contains("reach the key file ") == true)
    #expect(warning?.contains("mode 0\(String(mode, radix: 8))") == true)
  }

  @Test("does not warn about a private or a missing file")
  func closed() throws {
    #expect(try withFile(mode: 0o600) { SecretFileCheck.warning(path: $0, content: "key") } == nil)
    #expect(SecretFileCheck.warning(path: "/nonexistent/key.pem", content: "key") == nil)
  }

  @Test("a file of the administrator may be readable through the group, and no further")
  func mounted() {
    #expect(SecretFileCheck.objection(mode: 0o440, owner: 0, userID: 1000) == nil)
    #expect(SecretFileCheck.objection(mode: 0o440, owner: 1000, userID: 1000) != nil)
    for mode: UInt32 in [0o460, 0o444, 0o450] {
      #expect(SecretFileCheck.objection(mode: mode, owner: 0, userID: 1000) != nil)
    }
  }

  @Test("warns about a file of another user, who can change it")
  func foreign() {
    let objection = SecretFileCheck.objection(mode: 0o600, owner: 65534, userID: 1000)
    #expect(objection == "FILE belongs to another user (65534), who can change it")
    #expect(SecretFileCheck.objection(mode: 0o600, owner: 1000, userID: 1000) == nil)
  }

  private func withFile<Result>(mode: Int, _ body: (String) throws -> Result) throws -> Result {
    let path = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID()).pem").path
    try Data("x".utf8).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return try body(path)
  }
}
