struct OpenElement {
  var place: FeedBuilder.Place
  var meaning: ElementMeaning
  var hasBase = false
}

struct OpenElementStack: ~Copyable {
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
