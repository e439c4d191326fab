/// Gathers findings, the first of each code only: a feed with ten thousand bad dates has one thing wrong with it.
struct Findings {
  private(set) var list: [FeedFinding]

  init(_ list: [FeedFinding] = []) { self.list = list }

  mutating func add(_ code: FeedFinding.Code, _ message: @autoclosure () -> String) {
    guard !contains(code) else { return }
    list.append(FeedFinding(code, message()))
  }

  func contains(_ code: FeedFinding.Code) -> Bool { list.contains { $0.code == code } }
}
