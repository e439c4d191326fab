/// A first-in, first-out queue that removes its first element in constant time and releases it at once.
package struct FIFOQueue<Element: Sendable>: Sendable {
  /// Elements before the head are `nil`.
  private var elements: [Element?] = []
  private var head = 0

  package init(_ elements: [Element] = []) { self.elements = elements }

  package var isEmpty: Bool { head == elements.count }
  package var first: Element? { isEmpty ? nil : elements[head] }
  package var all: some Sequence<Element> { elements[head...].lazy.compactMap(\.self) }

  package mutating func append(_ element: Element) { elements.append(element) }

  package mutating func popFirst() -> Element? {
    guard let first else { return nil }
    elements[head] = nil
    head += 1
    if isEmpty || head > 1024 {
      elements.removeFirst(head)
      head = 0
    }
    return first
  }

  package mutating func removeAll(where isRemoved: (Element) -> Bool) {
    self = FIFOQueue(all.filter { !isRemoved($0) })
  }
}
