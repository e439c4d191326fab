/// What is known of an open element.
struct Frame {
  var place: FeedBuilder.Place
  var meaning: Meaning
  /// True when the element brought its own xml:base.
  var hasBase = false
}

/// The open elements that matter, the outermost first.
struct FrameStack: ~Copyable {
  /// Of the innermost.
  private(set) var place = FeedBuilder.Place.document
  private let frames: UnsafeMutablePointer<Frame>
  private let capacity: Int
  private var count = 0

  /// - Parameter capacity: the depth at which a document is refused before it comes here.
  init(capacity: Int) {
    self.capacity = capacity
    frames = .allocate(capacity: capacity)
  }

  deinit { frames.deallocate() }

  mutating func push(_ frame: Frame) {
    precondition(count < capacity)
    (frames + count).initialize(to: frame)
    count += 1
    place = frame.place
  }

  mutating func pop() -> Frame? {
    guard count > 0 else { return nil }
    count -= 1
    place = count > 0 ? frames[count - 1].place : .document
    return frames[count]
  }
}
