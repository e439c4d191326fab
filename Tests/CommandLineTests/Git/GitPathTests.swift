import Testing

@testable import CommandLine

@Suite("Paths in a commit") struct GitPathTests {
  @Test(
    "a name that no checkout writes is not a name of a file",
    arguments: ["", ".", "..", ".git", ".GIT", ".Git", "a/b", "/a", "a\\b", "a\0b"])
  func badNames(_ name: String) {
    #expect(!GitPath.isName(name))
    #expect(GitPath("feeds/\(name)") == nil || name == "a/b")
  }

  @Test("other names are", arguments: ["a.json", "...", ".gitignore", "git", "-r", "ü", " ", ":(top)x"])
  func names(_ name: String) {
    #expect(GitPath.isName(name))
    #expect(GitPath("feeds/\(name)")?.names == ["feeds", name])
  }

  @Test(
    "a path with a dot at its start is from the folder, any other from the root",
    arguments: [
      ("a.ckdb", "a.ckdb"), ("./a.ckdb", "deep/er/a.ckdb"), ("../a.ckdb", "deep/a.ckdb"),
      ("./../../x/./a.ckdb", "x/a.ckdb"), ("../../../a.ckdb", nil), ("/a.ckdb", nil), ("x/../a.ckdb", nil),
    ])
  func fromFolder(_ text: String, _ path: String?) {
    #expect(GitPath(text, in: ["deep", "er"])?.description == path)
  }
}
