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
}
