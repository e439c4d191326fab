public import Cryptography
public import Diagnostics

extension EmulatorServer {
  /// The content of `--ready-file`, with which a script connects to this server.
  ///
  /// - Parameters:
  /// - privateKeyPath: the path of the temporary private key, if one was made. The document never contains the key.
  /// - managementToken: the token generated for this server. Only include it in a file that only its owner can
  ///     read.
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
