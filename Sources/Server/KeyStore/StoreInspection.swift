/// The content of a store that a diagnosis needs, read without changing it.
package struct StoreInspection: Sendable {
    /// The schema version of the database.
    package let schema: Int
    /// The newest schema version that this program supports.
    package let supportedSchema: Int
    /// The database server and its version; nil for SQLite.
    package var server: String?
    /// The time of the database server, in milliseconds since 1970; nil for SQLite.
    package var serverTime: Int64?
    /// The certificate bundles, sorted by name.
    package var bundles: [CertificateBundleRecord] = []
    /// The newest entry of the audit log; nil if the log is empty.
    package var newest: AuditEntry?
    /// The verification of the end of the audit log.
    package var audit: AuditVerification

    /// Creates an inspection.
    package init(schema: Int, supportedSchema: Int, audit: AuditVerification) {
        (self.schema, self.supportedSchema, self.audit) = (schema, supportedSchema, audit)
    }

    /// The number of entries at the end of the audit log that are verified.
    package static let auditEntries = 100
}

extension AuditVerifier {
    /// Verifies the last entries of a log against its hash chains and the head that the store has recorded. The first
    /// entry of each node is trusted, because the entry before it is not known.
    ///
    /// - Parameter entries: The entries, the oldest first.
    package static func verifyEnd(_ entries: [AuditEntry], expecting head: AuditHead) -> AuditVerification {
        var starts: [AuditHead] = []
        var rest: [AuditEntry] = []
        for entry in entries {
            if starts.contains(where: { $0.node == entry.node }) {
                rest.append(entry)
            } else {
                starts.append(AuditHead(node: entry.node, sequence: entry.sequence, hash: entry.hash))
            }
        }
        var verifier = AuditVerifier(expecting: [head], startingAt: starts)
        for entry in rest { guard verifier.verify(entry) else { break } }
        return verifier.finish()
    }
}
