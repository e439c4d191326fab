/// First come, first served, without moving the others up each time. Whoever has left is no longer held.
struct Line<Element> {
  /// `nil` before the head.
  private var elements: [Element?] = []
  private var head = 0

  init(_ elements: [Element] = []) { self.elements = elements }

  var isEmpty: Bool { head == elements.count }
  var first: Element? { isEmpty ? nil : elements[head] }
  /// In their order.
  var all: some Sequence<Element> { elements[head...].lazy.compactMap(\.self) }

  mutating func append(_ newcomer: Element) { elements.append(newcomer) }

  mutating func append(contentsOf newcomers: some Sequence<Element>) {
    for newcomer in newcomers { append(newcomer) }
  }

  mutating func popFirst() -> Element? {
    guard let first else { return nil }
    elements[head] = nil
    head += 1
    if isEmpty || head > 1024 {
      elements.removeFirst(head)
      head = 0
    }
    return first
  }

  /// Those that stay keep their order.
  mutating func removeAll(where leaves: (Element) -> Bool) { self = Line(all.filter { !leaves($0) }) }
}
