import KeyStore

/// An error of the database. The server's message contains names of tables and constraints; values are in other fields,
/// which are not read.
enum PostgresFailure: Error, Equatable {
    /// The connection was lost, or was closed at the deadline. Statements in progress may or may not have been
    /// executed.
    case lost(String)
    /// The server rejected a statement, with this SQLSTATE.
    case refused(state: String, message: String)

    /// SQLSTATEs after which the connection is useless: the server shuts down, or has become read-only.
    private static let ending: Set<String> = ["57P01", "57P02", "57P03", "57P05", "25P03", "25006"]

    /// Creates a failure from a server's error. Some errors mean that the connection is lost.
    init(state: String, message: String) {
        self =
            state.hasPrefix("08") || Self.ending.contains(state)
            ? .lost("\(message) (\(state))") : .refused(state: state, message: message)
    }

    /// True if the same transaction may succeed when it is repeated: after a serialization failure, a deadlock, or a
    /// lock timeout.
    var isTransient: Bool {
        guard case .refused(let state, _) = self else { return false }
        return ["40001", "40P01", "55P03"].contains(state)
    }
}

extension KeyStoreError {
    /// Creates an error from a database failure.
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
