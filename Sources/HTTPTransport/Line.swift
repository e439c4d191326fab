/// First come, first served, without moving the others up each time.
struct Line<Element> {
  private var elements: [Element] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }
  var first: Element? { isEmpty ? nil : elements[head] }
  var all: ArraySlice<Element> { elements[head...] }

  mutating func append(_ newcomer: Element) { elements.append(newcomer) }
  mutating func append(contentsOf newcomers: some Sequence<Element>) { elements += newcomers }

  mutating func popFirst() -> Element? {
    guard let first else { return nil }
    head += 1
    if isEmpty || head > 1024 {
      elements.removeFirst(head)
      head = 0
    }
    return first
  }

  /// Those that stay keep their order.
  mutating func removeAll(where leaves: (Element) -> Bool) { self = Line(all.filter { !leaves($0) }) }

  init(_ elements: [Element] = []) { self.elements = elements }
}
