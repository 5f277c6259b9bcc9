import KeyStore

/// Why the database did not do what it was asked. The server's own message names tables and constraints; what it says of
/// values is in other fields, which are not read.
enum PostgresFailure: Error, Equatable {
    /// The connection is gone, or was given up when the time was over. What was under way may have been done or not.
    case lost(String)
    /// The server refused a statement, with its SQLSTATE.
    case refused(state: String, message: String)

    /// Codes after which this connection is of no use: the server ends, or has become one that only reads.
    private static let ending: Set<String> = ["57P01", "57P02", "57P03", "57P05", "25P03", "25006"]

    /// Takes a server's error: some of them say that the connection ends.
    init(state: String, message: String) {
        self =
            state.hasPrefix("08") || Self.ending.contains(state)
            ? .lost("\(message) (\(state))") : .refused(state: state, message: message)
    }

    /// Whether the same transaction may well succeed the next time: a serialization failure, a deadlock, a lock that was
    /// not to be had.
    var isPassing: Bool {
        guard case .refused(let state, _) = self else { return false }
        return ["40001", "40P01", "55P03"].contains(state)
    }
}

extension KeyStoreError {
    /// Gives a failure the store's own words.
    init(_ error: any Error, place: String) {
        switch error {
        case let error as KeyStoreError: self = error
        case is CancellationError: self.init(.cancelled, place: place)
        case PostgresFailure.lost(let reason): self.init(.unavailable, place: place, reason: "PostgreSQL: \(reason)")
        case PostgresFailure.refused(let state, let message):
            let code: Code =
                switch state {
                case "40001", "40P01", "55P03", "57014": .locked
                case "53100": .diskFull
                case "53200", "53300", "53400": .overloaded
                case "22021": .invalidRecord
                case "XX001", "XX002": .corrupt
                default: .unavailable
                }
            self.init(code, place: place, reason: "PostgreSQL error \(state): \(message)")
        default: self.init(.unavailable, place: place, reason: "\(type(of: error))")
        }
    }
}
