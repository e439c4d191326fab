/// The pieces of a document. Keeps the caller's storage instead of copying it, because only an ill-formed document is
/// read again.
struct ReceivedBytes {
  private(set) var count = 0
  private var pieces: [ArraySlice<UInt8>] = []
  private var endsInSmall = false

  /// Pieces shorter than this are joined, because each separate piece has an overhead.
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

  /// The whole document.
  mutating func joined() -> ArraySlice<UInt8> {
    if pieces.count > 1 {
      var whole: [UInt8] = []
      whole.reserveCapacity(count)
      // Each piece is released once it is copied, so that the document is not in memory twice.
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
