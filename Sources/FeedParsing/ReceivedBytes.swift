/// A document as it came, piece by piece: the caller's own storage, kept rather than copied, because only a document
/// that turns out ill-formed is looked at again.
struct ReceivedBytes {
  private(set) var count = 0
  private var pieces: [ArraySlice<UInt8>] = []
  private var endsInSmall = false

  /// Pieces shorter than this are put together: each that is kept takes as much to keep track of.
  private static let small = 1024

  mutating func append(_ piece: ArraySlice<UInt8>) {
    count += piece.count
    let isSmall = piece.count < Self.small
    if isSmall, endsInSmall {
      pieces[pieces.count - 1].append(contentsOf: piece)
    } else {
      pieces.append(isSmall ? Array(piece)[...] : piece)
    }
    endsInSmall = isSmall
  }

  /// All of it in one piece.
  mutating func joined() -> ArraySlice<UInt8> {
    if pieces.count > 1 {
      var whole: [UInt8] = []
      whole.reserveCapacity(count)
      // Each is let go as soon as it is copied, so that the document is not held twice.
      for index in pieces.indices {
        whole += pieces[index]
        pieces[index] = []
      }
      pieces = [whole[...]]
      endsInSmall = false
    }
    return pieces.first ?? []
  }

  mutating func removeAll() { self = ReceivedBytes() }
}
