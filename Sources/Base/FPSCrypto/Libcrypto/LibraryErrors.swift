#if !SwiftCrypto && canImport(CLibcrypto)
import CLibcrypto

extension CryptoError {
    /// Returns an error with the reason from libcrypto, for operations whose failure reveals no secret. Clears the
    /// error queue.
    package static func fromLibrary(_ code: Code, operation: String) -> CryptoError {
        let number = ERR_peek_last_error()
        ERR_clear_error()
        let reason = number == 0 ? nil : ERR_reason_error_string(number).map { String(cString: $0) }
        return CryptoError(code, operation: operation, reason: reason)
    }
}

/// Calls `body` and clears this thread's error queue, so that no error remains for a later call that reads the queue.
package func clearingErrors<Value, Failure: Error>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    defer { ERR_clear_error() }
    return try body()
}
#endif
