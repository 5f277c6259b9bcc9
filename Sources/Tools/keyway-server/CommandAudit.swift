import Foundation
import KeyServer
import KeyStore

extension AdminActor {
    /// The operating system's user who runs this command.
    init(command: String) { self.init(command: command, user: NSUserName()) }
}

extension AuditLog {
    /// Appends an audit entry for an operation of a command that does not itself change the store.
    ///
    /// - Parameters:
    ///   - command: The subcommand, such as `keys export`.
    ///   - outcome: The kind of change, named as in the administration routes.
    ///   - what: A description of the change.
    ///   - change: A closure that sets further fields of the record.
    func appendAudit(
        _ command: String,
        _ outcome: String,
        _ what: String,
        _ change: (inout AuditRecord) -> Void = { _ in }
    ) async throws(KeyStoreError) {
        try await append(.command(command, outcome, what, change))
    }
}

extension AuditRecord {
    /// Returns the audit record of a command's change, to be written in the same transaction as the change.
    ///
    /// - Parameters:
    ///   - command: The subcommand, such as `titles add`.
    ///   - outcome: The kind of change, named as in the administration routes.
    ///   - what: A description of the change.
    ///   - change: A closure that sets further fields of the record.
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
