import Foundation
import KeyServer
import KeyStore

extension AdminActor {
    /// Whoever runs this command.
    init(command: String) { self.init(command: command, user: NSUserName()) }
}

extension AuditLog {
    /// Writes into the audit log what a command does that is no change of the store by itself.
    ///
    /// - Parameters:
    ///   - command: the words that follow the program's name, such as `keys export`.
    ///   - outcome: the kind of change, as the routes of administration call it.
    ///   - what: what was changed, in words.
    ///   - change: puts more into the record.
    func note(
        _ command: String,
        _ outcome: String,
        _ what: String,
        _ change: (inout AuditRecord) -> Void = { _ in }
    ) async throws(KeyStoreError) {
        try await append(.command(command, outcome, what, change))
    }
}

extension AuditRecord {
    /// What a command does, and in whose name, for the transaction in which it is done.
    ///
    /// - Parameters:
    ///   - command: the words that follow the program's name, such as `titles add`.
    ///   - outcome: the kind of change, as the routes of administration call it.
    ///   - what: what is changed, in words.
    ///   - change: puts more into the record.
    static func command(
        _ command: String,
        _ outcome: String,
        _ what: String,
        _ change: (inout AuditRecord) -> Void = { _ in }
    ) -> AuditRecord {
        var record = AdminActor(command: command).audit(outcome, what)
        change(&record)
        return record
    }
}
