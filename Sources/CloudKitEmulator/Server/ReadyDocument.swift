public import Cryptography
public import Diagnostics

extension EmulatorServer {
  /// What a script needs to talk to this server: the content of `--ready-file`.
  ///
  /// - Parameters:
  ///   - privateKeyPath: where the temporary key was written, if there is one. Never the key itself.
  ///   - managementToken: the token made for this server. Only for a file that its owner alone may read.
  public func readyDocument(
    container: String, keyID: String?, privateKeyPath: String? = nil, managementToken: Secret? = nil
  ) -> JSONValue {
    var object: JSONObject = ["url": .string(url), "managementURL": .string(url)]
    object["keyID"] = keyID.map(JSONValue.string)
    object["privateKeyPath"] = privateKeyPath.map(JSONValue.string)
    object["container"] = .string(container)
    object["managementToken"] = (managementToken?.exposed).map(JSONValue.string)
    return .object(object)
  }
}
