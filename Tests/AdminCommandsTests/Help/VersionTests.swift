import Testing

@testable import AdminCommands

@Suite struct VersionTests {
  @Test("a release names its tag and commit, and other builds say what they do not know")
  func text() {
    let release = BuildOrigin(commit: "0123abc", tag: "v9.8.7", isOptimized: true, platform: "aarch64 Linux")
    #expect(
      "\(VersionCommand.text(release))"
        == "\(AdminTool.version)\ncommit: 0123abc\nbuild: release v9.8.7\nplatform: aarch64 Linux\n")
    let own = BuildOrigin(commit: nil, tag: nil, isOptimized: false, platform: "x86_64 macOS")
    #expect(
      "\(VersionCommand.text(own))"
        == "\(AdminTool.version)\ncommit: not recorded by this build\nbuild: no release, not optimized\n"
        + "platform: x86_64 macOS\n")
  }
}
