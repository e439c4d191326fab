internal import CloudKitModel

/// The lease records of a job, as read in one request.
struct LeaseTable {
  var own: Record?
  /// The record of the whole job, which is ``own`` for a whole run.
  var whole: Record?
  /// The records of the shards that exclude this run: of every shard for a whole run, else of the shards of a division
  /// into another number.
  var parts: [Record] = []
  var serviceTime: Timestamp?

  /// The leases that prevent this run from starting while their holders are alive.
  var blocking: [Record] {
    let isWhole = own?.recordName == whole?.recordName
    return [own, isWhole ? nil : whole].compactMap(\.self) + parts
  }

  func otherHolders(than name: String) -> [String: String] {
    let others = [whole].compactMap(\.self) + parts
    return others.filter { $0.recordName != name }.reduce(into: [:]) { $0[$1.recordName] = $1.leaseHolder }
  }
}
