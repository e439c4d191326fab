internal import CloudKitModel

/// The content of an AdminLease record.
public enum LeaseRecord {
  public static let recordType = "AdminLease"
  /// Fields that version 0.1.0 knows; the others are missing from older schemas.
  static let oldFields: Set<String> = ["expiresAt", "holder", "purpose"]
  /// The `expiresAt` of a released lease: in the past by every clock.
  static let released = Timestamp(milliseconds: 0)
  /// In milliseconds. Only version 0.1.0 reads it.
  static let oldLifetime: Int64 = 2 * 60 * 1000
}

extension Record {
  var leaseHolder: String { self["holder"]?.string ?? "" }

  /// True if a run took the lease and did not release it, whether that run is alive or not.
  var isLeaseHeld: Bool {
    !leaseHolder.isEmpty && (self["expiresAt"]?.timestamp ?? LeaseRecord.released) > LeaseRecord.released
  }

  /// The shards that the job is divided into at present; 0 when it is not.
  var leaseParts: Int {
    guard let parts = self["parts"]?.int64, (1...10_000).contains(parts) else { return 0 }
    return Int(parts)
  }

  var shownHolder: LeaseHolder {
    LeaseHolder(
      recordName: recordName, purpose: self["purpose"]?.string ?? recordName, run: leaseHolder)
  }
}
