import Curation
import Testing

@Suite("The revision that was applied last") struct AppliedRevisionTests {
  private static let id = String(repeating: "0a", count: 20)
  private static let longID = String(repeating: "f9", count: 32)

  @Test("it is one or two object ids", arguments: [id, longID, "\(id) \(id)", "\(longID) \(longID)"])
  func read(_ text: String) {
    #expect(AppliedRevision(text)?.description == text)
  }

  @Test(
    "any other text, which somebody else may have written, is not a revision",
    arguments: [
      "", "HEAD", "--help", String(id.dropLast()), "\(id)0", id.uppercased(), "\(id)  \(id)", " \(id)",
      "\(id) ",
      "\(id) HEAD", "\(id) \(id) \(id)", "\(id)\n\(id)", "\(id)^", String(repeating: "٠", count: 40),
    ])
  func refused(_ text: String) {
    #expect(AppliedRevision(text) == nil)
  }
}
