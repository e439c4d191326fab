import CustomDump
import Diagnostics
import Testing

@Suite("Unified diff") struct UnifiedDiffTests {
  private func diff(_ old: String, _ new: String) -> String {
    UnifiedDiff(from: old, to: new, name: "a.txt").text
  }

  @Test("equal texts have no difference")
  func equal() {
    expectNoDifference(diff("a\nb\n", "a\nb\n"), "")
    expectNoDifference(diff("", ""), "")
  }

  @Test("changes far from each other are hunks of their own, with three lines around them")
  func hunks() {
    let old = (1...20).map { "\($0)\n" }.joined()
    let new = old.replacing("2\n", with: "two\n", maxReplacements: 1).replacing("19\n", with: "")
    expectNoDifference(
      diff(old, new),
      """
      --- a/a.txt
      +++ b/a.txt
      @@ -1,5 +1,5 @@
       1
      -2
      +two
       3
       4
       5
      @@ -16,5 +16,4 @@
       16
       17
       18
      -19
       20

      """)
  }

  @Test("a missing line end is shown, and so is the place of an empty side")
  func ends() {
    expectNoDifference(
      diff("a", "a\n"),
      "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n")
    expectNoDifference(diff("", "a\n"), "--- a/a.txt\n+++ b/a.txt\n@@ -0,0 +1,1 @@\n+a\n")
    expectNoDifference(diff("a\r\n", "a\n"), "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-a\r\n+a\n")
  }

  @Test("a large rewrite between equal ends is replaced as a whole", .timeLimit(.minutes(1)))
  func large() {
    let old = "first\n" + (0..<30_000).map { "old \($0)\n" }.joined() + "last\n"
    let new = "first\n" + (0..<30_000).map { "new \($0)\n" }.joined() + "last\n"
    let text = diff(old, new)
    #expect(text.hasPrefix("--- a/a.txt\n+++ b/a.txt\n@@ -1,30002 +1,30002 @@\n first\n-old 0\n"))
    #expect(text.hasSuffix("+new 29999\n last\n"))
  }

  @Test(
    "the smallest difference of up to 4,000 changed lines is found, and above it lines are replaced as a whole"
  )
  func sizes() {
    let kept = (1...1998).map { "\($0)\n" }.joined()
    let small = diff("a\n\(kept)b\n", "c\n\(kept)d\n")
    #expect(
      small.split(separator: "\n").filter { $0.hasPrefix("@@") } == [
        "@@ -1,4 +1,4 @@", "@@ -1997,4 +1997,4 @@",
      ])
    let large = diff("a\n\(kept)b\n", "c\n\(kept)d\ne\n")
    #expect(large.split(separator: "\n").filter { $0.hasPrefix("@@") } == ["@@ -1,2000 +1,2001 @@"])
  }
}
