extension KeyLoader {
    /// Returns the failure of the latest request for a key; nil if the key has loaded since, or if no request has failed.
    /// A cancelled request is not a failure, nor is a failed attempt after which another follows.
    ///
    /// - Parameter identifier: The URI of the EXT-X-KEY tag, with its query.
    public func lastFailure(for identifier: String) -> KeyFailure? { failures[identifier] }

    /// Logs a failure after which the request is not retried.
    func noteFinal(_ failure: KeyFailure, of ticket: KeyTicket) {
        logFailure(failure, ticket.label, retryAfter: nil)
        guard failure.kind != .cancelled else { return }
        // Bounds the dictionary in long live streams.
        if failures.count >= 4096 { failures.removeAll() }
        failures[ticket.identifier] = failure
    }

    func logFailure(_ failure: KeyFailure, _ label: KeyLabel, retryAfter: Duration?) {
        errorLog.append(KeyErrorEntry(label: label, time: clock.now, failure: failure, retryAfter: retryAfter))
    }
}
