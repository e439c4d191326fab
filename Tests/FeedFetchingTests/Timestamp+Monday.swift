import CloudKitModel

extension Timestamp {
  /// 2026-03-02T12:00:00Z.
  static let monday = Timestamp(milliseconds: 1_772_452_800_000)
}
