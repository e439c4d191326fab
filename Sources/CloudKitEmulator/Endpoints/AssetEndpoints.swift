internal import CloudKitModel
internal import Diagnostics
internal import LocalContainer
internal import SchemaLanguage
internal import WebServicesWire

extension Emulator {
  func assetUpload(_ exchange: EndpointRequest) async throws -> EndpointReply {
    let message = try AssetUploadMessage(json: exchange.body)
    try Self.checkZone(message.zoneID)
    guard exchange.identity.userRecordName != nil else {
      throw Authenticator.authenticationRequired("uploading needs a signed-in user or a key")
    }
    try store.checkCount(message.tokens.count)
    let schema = try await store.schema(of: exchange.environment)
    let tokens = try message.tokens.map { token throws(ServerError) -> JSONValue in
      try Self.checkAssetField(token, in: schema)
      let recordName = token.recordName ?? identifiers.next()
      // Where the bytes are to be sent with POST.
      let url = assets.openPlace(
        exchange.origin, for: .init(recordName: token.recordName, field: token.fieldName))
      return ["recordName": recordName.json, "fieldName": token.fieldName.json, "url": url.json]
    }
    return EndpointReply(json: ["tokens": .array(tokens)])
  }

  /// Throws if the field is not an asset. A token may leave out the record type, as CloudKit JS does for a record
  /// that it has fetched.
  private static func checkAssetField(_ token: AssetUploadMessage.Token, in schema: Schema)
    throws(ServerError)
  {
    guard let recordType = token.recordType else { return }
    guard let type = schema[recordType: recordType] else {
      throw QueryProblem.unknownRecordType(recordType).serverError
    }
    guard let field = type[field: token.fieldName], FieldType(field.type).element == .asset else {
      throw ServerError(
        .badRequest, "field '\(token.fieldName)' in type '\(recordType)' is not an asset",
        "declare it as ASSET or LIST<ASSET>")
    }
  }

  func assetRereference(_ exchange: EndpointRequest) async throws -> EndpointReply {
    let message = try AssetRereferenceMessage(json: exchange.body)
    try Self.checkZone(message.zoneID)
    let outcomes = try await container(exchange).lookup(LookupRequest(message.assets.map(\.recordName)))
    let entries = zip(message.assets, outcomes).map { source, outcome in
      if case .asset(let asset)? = outcome.record?.fields[source.fieldName],
        let copy = assets.rereference(asset)
      {
        return ReplyEntry(json: copy.json)
      }
      let error = outcome.error ?? ServerError(.notFound, "Asset not found")
      return error.entry("recordName", .string(source.recordName))
    }
    return EndpointReply("assets", entries)
  }

  /// Handles uploads to and downloads from the asset host, which need no signature.
  func assetTransfer(_ request: EmulatorRequest) throws -> EmulatorReply {
    let parts = request.path.dropFirst(AssetStore.root.count).split(separator: "/")
    switch (request.method, parts.first, parts.count) {
    case ("POST", "upload", 2):
      let asset = try assets.store(try Self.file(in: request), at: String(parts[1]))
      // The value to write into the asset field (Documentation/reference/web-services.md#assets).
      let receipt: JSONValue = ["singleFile": asset.json]
      return EmulatorReply(status: 200, headers: Self.jsonHeaders, body: receipt.bytes())
    case ("GET", "download", 2...3):
      guard let name = PercentEncoding.decode(parts[1]), let bytes = assets.bytes(name: name) else {
        throw ServerError(.notFound, "asset not found")
      }
      return EmulatorReply(
        status: 200, headers: [("Content-Type", "application/octet-stream")], body: bytes)
    case (_, "upload", 2): throw HTTPRefusal.methodNotAllowed(["POST"])
    case (_, "download", 2...3): throw HTTPRefusal.methodNotAllowed(["GET"])
    default: throw ServerError(.notFound, "asset not found")
    }
  }

  /// The uploaded bytes: the request's body, or the file in a form, as live clients upload it
  /// (Documentation/reference/web-services.md#assets).
  private static func file(in request: EmulatorRequest) throws -> [UInt8] {
    guard let type = request.header("content-type"), MultipartBody.isContentType(type) else {
      return request.body
    }
    do { return try MultipartBody.content(ofPart: nil, in: request.body, contentType: type) } catch {
      throw ServerError(.badRequest, "the form has no file", error.description)
    }
  }
}
