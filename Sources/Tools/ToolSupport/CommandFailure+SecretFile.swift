package import CommandSupport
package import FPSCrypto

extension CommandFailure {
    /// Creates a failure for a secret file that cannot be read, or that others can read.
    package init(_ error: SecretFileError) { self = .file(error.description) }
}

extension SecretFileError: CommandFailureConvertible {
    package var commandFailure: CommandFailure { CommandFailure(self) }
}
