/// An open element.
struct OpenElement {
  var place: FeedBuilder.Place
  var meaning: ElementMeaning
  /// True when the element has an xml:base.
  var hasBase = false
}

/// The open elements that matter, outermost first.
struct OpenElementStack: ~Copyable {
  /// The place of the innermost element.
  private(set) var place = FeedBuilder.Place.document
  private let frames: UnsafeMutablePointer<OpenElement>
  private let capacity: Int
  private(set) var count = 0

  /// - Parameter capacity: the depth limit; deeper documents are refused earlier.
  init(capacity: Int) {
    self.capacity = capacity
    frames = .allocate(capacity: capacity)
  }

  deinit { frames.deallocate() }

  mutating func push(_ frame: OpenElement) {
    precondition(count < capacity)
    (frames + count).initialize(to: frame)
    count += 1
    place = frame.place
  }

  mutating func pop() -> OpenElement? {
    guard count > 0 else { return nil }
    count -= 1
    place = count > 0 ? frames[count - 1].place : .document
    return frames[count]
  }
}
