public import Cryptography
public import Diagnostics

extension CertificateError: CommandFailureConvertible {
  public var failure: CommandFailure { CommandFailure(description, code: "bad-certificate", hint: hint) }
}
