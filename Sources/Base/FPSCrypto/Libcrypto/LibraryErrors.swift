#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

extension CryptoError {
    /// An error with libcrypto's own reason, for operations whose failure reveals nothing. Empties the error queue.
    package static func fromLibrary(_ code: Code, operation: String) -> CryptoError {
        let number = ERR_peek_last_error()
        ERR_clear_error()
        let reason = number == 0 ? nil : ERR_reason_error_string(number).map { String(cString: $0) }
        return CryptoError(code, operation: operation, reason: reason)
    }
}

/// Runs `body` and leaves this thread's error queue as empty as a new one, so that nothing leaks into a later call
/// that looks at it.
package func clearingErrors<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    defer { ERR_clear_error() }
    return try body()
}
#endif
