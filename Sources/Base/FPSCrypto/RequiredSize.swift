/// Checks that a value has the required size in bytes.
func requireSize(_ count: Int, _ expected: Int, of what: String, operation: String) throws(CryptoError) {
    guard count == expected else {
        throw CryptoError(.invalidLength, operation: operation, reason: "\(what): \(count) bytes, must be \(expected)")
    }
}
