import CloudKitModel
import Diagnostics
import WebServicesWire

/// What the wire codecs promise for any body at all: a message that was read can be written, is then read as the
/// same message, and is written the same way again.
enum WirePromises {
  /// The first promise these bytes break, in words; `nil` when all are kept.
  static func broken(by bytes: [UInt8]) -> String? {
    if let problem = TextPromises.broken(by: String(decoding: bytes, as: UTF8.self)) { return problem }
    guard let json = try? JSONValue(parsing: bytes) else { return nil }
    for check in requests + replies {
      if let problem = check(json) { return problem }
    }
    return records(json)
  }

  private typealias Check = (JSONValue) -> String?

  /// A request is read back exactly.
  private static var requests: [Check] {
    [
      exact(QueryMessage.self), exact(LookupMessage.self), exact(ZoneID.self), exact(Subscription.self),
      exact(Query.self), exact(Filter.self), exact(Sort.self), stable(ModifyMessage.self),
      read(AssetUploadMessage.init), read(AssetRereferenceMessage.init),
      read(SubscriptionsModifyMessage.init),
      read(SubscriptionsLookupMessage.init), read(ZonesLookupMessage.init), read(ZoneChangesMessage.init),
      read(PushTokenMessage.init), read(UsersLookupMessage.init),
    ]
  }

  /// A request that this project never sends is read or refused.
  private static func read<Message>(_ message: @escaping (JSONValue) throws(WireFormatError) -> Message)
    -> Check
  {
    { json in
      _ = try? message(json)
      return nil
    }
  }

  /// A reply may hold an error, whose waiting time is rounded up to whole seconds: it is stable once written.
  private static var replies: [Check] {
    [
      exact(TeamsReply.self),
      stable(SchemaValidationReply.self), stable(ManagementErrorBody.self),
    ]
  }

  private static func exact<Message: WireMessage & Equatable>(_ type: Message.Type) -> Check {
    { json in
      guard let message = try? Message(json: json) else { return nil }
      guard let again = try? Message(json: message.json) else { return "\(type) cannot read what it wrote" }
      return again == message ? nil : "\(type) is changed by writing it: \(message.json.text())"
    }
  }

  private static func stable<Message: WireMessage>(_ type: Message.Type) -> Check {
    { json in
      guard let written = (try? Message(json: json))?.json else { return nil }
      guard let again = try? Message(json: written) else { return "\(type) cannot read what it wrote" }
      return again.json == written ? nil : "\(type) is written differently again: \(written.text())"
    }
  }

  /// Record replies, in each form a server may choose.
  private static func records(_ json: JSONValue) -> String? {
    guard let reply = try? RecordsReply(json: json) else { return nil }
    for numbersAsStrings in [false, true] {
      for untyped in [false, true] {
        let format = RecordReplyFormat(numbersAsStrings: numbersAsStrings, emptyListsAreUntyped: untyped)
        let written = reply.json(format)
        guard let again = try? RecordsReply(json: written) else {
          return "a reply cannot be read: \(written.text())"
        }
        if again.json(format) != written { return "a reply is written differently: \(written.text())" }
      }
    }
    return nil
  }
}
