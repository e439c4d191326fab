internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer
internal import WebServicesWire

extension Emulator {
  func query(_ exchange: EndpointRequest) async throws -> EndpointReply {
    var message = try QueryMessage(json: exchange.body)
    try Self.checkZone(message.zoneID)
    message.request.continuationMarker = EmptyPageMarker.behind(message.request.continuationMarker)
    let page = try await container(exchange).query(message.request)
    let outcomes = page.records.map { RecordOutcome.record(assets.withURLs($0, exchange.origin)) }
    let reply = RecordsReply(outcomes, continuationMarker: page.continuationMarker)
    return EndpointReply(json: reply.json(format(message.numbersAsStrings)))
  }

  func lookup(_ exchange: EndpointRequest) async throws -> EndpointReply {
    let message = try LookupMessage(json: exchange.body)
    try Self.checkZone(message.zoneID)
    let hasOwnKeys = message.records.contains { $0.desiredKeys != nil }
    let request = LookupRequest(
      message.records.map(\.recordName), desiredKeys: hasOwnKeys ? nil : message.desiredKeys)
    var outcomes = try await container(exchange).lookup(request)
    for (index, entry) in message.records.enumerated() where hasOwnKeys && index < outcomes.count {
      guard let record = outcomes[index].record else { continue }
      outcomes[index] = .record(record.keeping(entry.desiredKeys ?? message.desiredKeys))
    }
    return answer(outcomes, exchange, outcomes.map { _ in message.numbersAsStrings })
  }

  /// Applies a `records/modify` request. `atomic` has no effect in the default zone
  /// (Documentation/reference/web-services.md#modify).
  func modify(_ exchange: EndpointRequest) async throws -> EndpointReply {
    let body = configuration.booleansAreIntegers ? exchange.body.withBooleansAsIntegers : exchange.body
    let message = try ModifyMessage(json: body)
    try Self.checkZone(message.zoneID)
    var slots: [RecordOutcome?] = []
    var operations: [RecordOperation] = []
    for entry in message.operations {
      let refused = refusal(of: entry)
      slots.append(refused)
      guard refused == nil, case .operation(var operation) = entry else { continue }
      // Choose the name before the operation is checked, so that a refusal contains it.
      if operation.kind == .create, operation.recordName == nil {
        operation.recordName = store.settings.makeRecordName()
      }
      operation.desiredKeys = operation.desiredKeys ?? message.desiredKeys
      operations.append(operation)
    }
    try store.checkCount(slots.count)
    var results = try await apply(operations, message.simulatedCreators, exchange)[...]
    let outcomes = slots.compactMap { $0 ?? results.popFirst() }
    return answer(outcomes, exchange, message.numbersAsStrings)
  }

  /// The server's key may simulate users: they create the records then.
  private func apply(
    _ operations: [RecordOperation], _ creators: [String]?, _ exchange: EndpointRequest
  ) async throws -> [RecordOutcome] {
    guard let creators, case .serverKey = exchange.caller, creators.count == operations.count,
      operations.allSatisfy({ $0.kind == .create })
    else { return try await container(exchange).write(operations) }
    return try await container(exchange).create(operations, as: creators)
  }

  private func refusal(of entry: ModifyMessage.Entry) -> RecordOutcome? {
    switch entry {
    case .refused(let recordName, let error):
      return .failed(
        recordName: recordName ?? store.settings.makeRecordName(),
        error.explained("the value does not match the type that is sent with it"))
    case .operation(let operation):
      let isAccepted = operation.fields.allSatisfy { field, value in
        assets.accepts(value, in: field, of: operation.recordName)
      }
      guard !isAccepted else { return nil }
      return .failed(
        recordName: operation.recordName ?? store.settings.makeRecordName(),
        ServerError.badReceipt.explained(
          "the upload receipt of the asset was not issued by this emulator for this file, field and record"))
    }
  }

  // MARK: - Writing the answer

  func format(_ numbersAsStrings: Bool) -> RecordReplyFormat {
    var format = configuration.record
    format.numbersAsStrings = numbersAsStrings
    return format
  }

  private func answer(
    _ outcomes: [RecordOutcome], _ exchange: EndpointRequest, _ numbersAsStrings: [Bool]
  ) -> EndpointReply {
    let entries = zip(outcomes, numbersAsStrings).map { outcome, numbersAsStrings in
      let shown = outcome.record.map { RecordOutcome.record(assets.withURLs($0, exchange.origin)) } ?? outcome
      return ReplyEntry(json: shown.json(format(numbersAsStrings)), refusal: outcome.error)
    }
    return EndpointReply("records", entries)
  }
}

extension JSONValue {
  /// A copy with true and false in the operations' fields replaced by INT64 values
  /// (Documentation/reference/web-services.md#field-types, ?).
  fileprivate var withBooleansAsIntegers: JSONValue {
    guard let value = self["value"]?.bool, [nil, "BOOLEAN"].contains(self["type"]?.string) else {
      return mapping(\.withBooleansAsIntegers)
    }
    return ["value": .integer(value ? 1 : 0), "type": "INT64"]
  }
}
