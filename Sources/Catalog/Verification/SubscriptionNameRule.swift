import CloudKitModel
import Diagnostics

/// Finds subscriptions whose record name is not 64 lowercase hexadecimal digits; recounts ignore them. Messages do
/// not quote the names, which may contain a user's name.
struct SubscriptionNameRule: VerificationRule {
  private var count = 0

  var keys: [String: [String]] { [CatalogRecordType.feedSubscription: []] }

  mutating func visit(_ record: Record) {
    guard record.recordType == CatalogRecordType.feedSubscription else { return }
    if !RecordNameRule.sha256.accepts(record.recordName) { count += 1 }
  }

  func findings(_ existence: RecordExistenceCheck) -> [Diagnostic] {
    guard count > 0 else { return [] }
    let records = CatalogRecordType.feedSubscription.counted(count)
    return [
      VerificationCode.malformedSubscription.finding(
        "the name of \(records) is not 64 lowercase hexadecimal digits",
        help: "recounts do not count them; find the client that creates them: "
          + VerificationHelp.export(CatalogRecordType.feedSubscription))
    ]
  }
}
