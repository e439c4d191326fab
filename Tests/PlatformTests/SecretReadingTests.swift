import Foundation
import Platform
import Testing

@Suite struct SecretReadingTests {
  @Test(
    "a secret is read from a file of mode 0600, through a link too, and from no other",
    arguments: [0o600, 0o400])
  func closed(mode: Int) throws {
    try inFolder { path in
      try PrivateFile.create("\(path)/token", Array("x-y-z9".utf8))
      try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "token")
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/token")
      for name in ["token", "link"] {
        #expect(try PrivateFile.read("\(path)/\(name)", upTo: 6, content: "token") == Array("x-y-z9".utf8))
      }
      #expect(throws: FileFailure.self) { try PrivateFile.read("\(path)/token", upTo: 5, content: "token") }
    }
  }

  @Test(
    "a secret that other users can reach is refused, with what to do about it",
    arguments: [0o644, 0o640, 0o604, 0o620, 0o602, 0o610])
  func open(mode: Int) throws {
    try inFolder { path in
      try PrivateFile.create("\(path)/token", Array("x-y-z9".utf8))
      try FileManager.default.createSymbolicLink(atPath: "\(path)/link", withDestinationPath: "token")
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/token")
      for name in ["token", "link"] {
        let failure = #expect(throws: FileFailure.self) {
          try PrivateFile.read("\(path)/\(name)", upTo: 100, content: "token")
        }
        #expect(failure?.message.contains("the token file \(path)/\(name)") == true)
        #expect(
          failure?.message.contains("chmod 600") == true && failure?.message.contains("x-y-z9") == false)
      }
    }
  }

  @Test("a folder, a pipe and a missing file hold no secret")
  func others() throws {
    try inFolder { path in
      #expect(mkfifo("\(path)/pipe", 0o600) == 0)
      for name in ["", "pipe", "missing"] {
        #expect(throws: FileFailure.self) {
          try PrivateFile.read("\(path)/\(name)", upTo: 9, content: "token")
        }
      }
    }
  }
}
