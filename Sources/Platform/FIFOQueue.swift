/// A first-in, first-out queue that removes its first element in constant time and releases it at once. Inlinable,
/// because its elements are of all sizes: unspecialized it asks the runtime for their type again and again.
@usableFromInline package struct FIFOQueue<Element: Sendable>: Sendable {
  /// Elements before the head are `nil`.
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable package init(_ elements: [Element] = []) { self.elements = elements }

  @inlinable package var isEmpty: Bool { head == elements.count }
  @inlinable package var first: Element? { isEmpty ? nil : elements[head] }
  package var all: some Sequence<Element> { elements[head...].lazy.compactMap(\.self) }

  @inlinable package mutating func append(_ element: Element) { elements.append(element) }

  @inlinable package mutating func popFirst() -> Element? {
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
