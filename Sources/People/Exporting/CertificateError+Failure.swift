package import Cryptography
package import Diagnostics

extension CertificateError: CommandFailureConvertible {
  package var failure: CommandFailure { CommandFailure(description, code: "bad-certificate", hint: hint) }
}
