/// What the server of a demo feed does: it serves a good feed, or it has one of the ordinary problems of the web. Tests
/// add servers that are hostile.
package struct DemoBehavior: Sendable, Hashable {
  /// Also the slug of its feed: lower-case letters, digits and dashes.
  package let name: String
  /// A few words for a table.
  package let summary: String
  let answer: @Sendable (DemoRequest) -> DemoResponseScript

  package init(
    _ name: String, _ summary: String, _ answer: @escaping @Sendable (DemoRequest) -> DemoResponseScript
  ) {
    self.name = name
    self.summary = summary
    self.answer = answer
  }

  /// The same for an answer that is one response.
  package static func response(
    _ name: String, _ summary: String, _ response: @escaping @Sendable (DemoRequest) -> DemoResponse
  ) -> DemoBehavior {
    DemoBehavior(name, summary) { response($0).script }
  }

  package static func == (lhs: DemoBehavior, rhs: DemoBehavior) -> Bool { lhs.name == rhs.name }
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
