package import CloudKitModel
package import Cryptography
internal import Diagnostics

extension Moderation {
  /// The records with their reports and decisions, encrypted for the holder of a certificate: what is left after they are
  /// removed. It is the only output that names authors, because a complaint or a court asks for them.
  ///
  /// Throws the container's errors, ``CertificateError``, and ``CommandFailure`` if a record does not exist.
  ///
  /// - Parameter now: the time of the export, for the document.
  package func evidence(
    of names: [String], for certificate: RecipientCertificate, at now: Timestamp
  ) async throws -> [UInt8] {
    let records = try await records(names, keys: nil)
    if let missing = names.first(where: { records[$0] == nil }) {
      throw CommandFailure("no record has the name \(missing); nothing was removed", code: "bad-name")
    }
    let reports = try await self.records(
      declaration.reports.recordType, declaration.reports.target, in: names)
    let decisions = try await self.records(ModerationRecordType.decision, "target", in: names)
    let json: JSONObject = [
      "exported": .string(now.iso8601), "container": .string(container.identity.name),
      "environment": .string(container.identity.environment.rawValue),
      "records": .array(names.compactMap { records[$0]?.evidence }),
      "reports": .array(reports.map(\.evidence)), "decisions": .array(decisions.map(\.evidence)),
    ]
    return try certificate.encrypt(JSONValue.object(json).bytes(.pretty))
  }
}

extension Record {
  /// With its author, so only inside an encrypted file.
  fileprivate var evidence: JSONValue {
    guard case .object(var json) = portableJSON else { return portableJSON }
    json["created"] = created.map { .string($0.timestamp.iso8601) }
    json["createdBy"] = created.map { .string($0.userRecordName) }
    json["modified"] = modified.map { .string($0.timestamp.iso8601) }
    return .object(json)
  }
}
