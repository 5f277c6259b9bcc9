/// The limits of a proposal or claim, which bound the size of what is written for one request.
enum GrantLimits {
    static let account = 1...200
    /// Including the byte for the kind.
    static let subject = 2...201
    static let answer = 1...65_536
    /// The length of the name of a reported fact, in bytes.
    static let fact = 1...64
    /// The maximum number of facts per SPC.
    static let facts = 16
}

extension GrantProposal {
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a field has a size that the store does not accept.
    package func check() throws(KeyStoreError) {
        try checkAccount(account)
        try evidence?.check()
        try requireCount(assetID, RecordLimits.assetID, "asset ID", in: "grant")
        try requireCount(answer.ckc, GrantLimits.answer, "CKC", in: "grant")
        try requireCount(replay?.key, 32...32, "replay key", in: "grant")
        try requireCount(binding?.token, 32...32, "token hash", in: "grant")
        try requireCount(rental?.subject.encoded, GrantLimits.subject, "rental subject", in: "grant")
        guard let offline else { return }
        try requireCount(offline.streamID, 16...16, "stream ID", in: "grant")
        try requireCount(offline.titleID, 16...16, "title ID", in: "grant")
        guard client.device != nil else {
            throw KeyStoreError(
                .invalidRecord,
                place: "grant",
                reason: "a persistent key requires a device, not a session"
            )
        }
    }
}

extension SyncClaim {
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a field has a size that the store does not accept.
    package func check() throws(KeyStoreError) {
        try checkAccount(account)
        try evidence?.check()
        try requireCount(streamID, 16...16, "stream ID", in: "sync")
        try requireCount(titleID, 16...16, "title ID", in: "sync")
        guard case .invalidated(let streamIDs, _, _) = message else { return }
        guard streamIDs.count <= Self.maximumStreamIDs else {
            throw KeyStoreError(
                .invalidRecord,
                place: "sync",
                reason: "expected at most \(Self.maximumStreamIDs) stream IDs, not \(streamIDs.count)"
            )
        }
        for streamID in streamIDs { try requireCount(streamID, 16...16, "stream ID", in: "sync") }
    }
}

extension SPCEvidence {
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` if a hash or the name of a fact has a size that the store does
    ///   not accept.
    package func check() throws(KeyStoreError) {
        let size = SPCFingerprint.hashSize...SPCFingerprint.hashSize
        try requireCount(sighting.key, size, "hash of the RSA block", in: "SPC")
        try requireCount(sighting.digest, size, "hash of the message", in: "SPC")
        guard report.entries.count <= GrantLimits.facts else {
            throw KeyStoreError(
                .invalidRecord,
                place: "SPC",
                reason: "expected at most \(GrantLimits.facts) reported facts, not \(report.entries.count)"
            )
        }
        for fact in report.entries.keys {
            try requireCount(Array(fact.rawValue.utf8), GrantLimits.fact, "name of a fact", in: "SPC")
        }
    }
}

/// - Throws: ``KeyStoreError/Code/invalidRecord`` if an account's name is empty or too long.
package func checkAccount(_ account: String) throws(KeyStoreError) {
    try requireCount(Array(account.utf8), GrantLimits.account, "account", in: "grant")
}
