public import Diagnostics

extension EmulatorServer {
  /// What a script needs to talk to this server: the content of `--ready-file`.
  ///
  /// - Parameter privateKeyPath: where the throw-away key was written, if there is one. Never the key itself.
  public func readyDocument(container: String, keyID: String?, privateKeyPath: String? = nil) -> JSONValue {
    var object: JSONObject = ["url": .string(url), "managementURL": .string(url)]
    object["keyID"] = keyID.map(JSONValue.string)
    object["privateKeyPath"] = privateKeyPath.map(JSONValue.string)
    object["container"] = .string(container)
    return .object(object)
  }
}
