/// What a store holds a proposal or claim to before it decides. The sizes bound what is written for one request.
enum GrantLimits {
    static let account = 1...200
    /// With the byte for its kind.
    static let subject = 2...201
    static let answer = 1...65_536
}

extension GrantProposal {
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when a field has a size that the store does not take.
    package func check() throws(KeyStoreError) {
        try checkAccount(account)
        try requireCount(assetID, RecordLimits.assetID, "asset ID", in: "grant")
        try requireCount(answer.ckc, GrantLimits.answer, "CKC", in: "grant")
        try requireCount(replay?.key, 32...32, "replay key", in: "grant")
        try requireCount(binding?.token, 32...32, "token hash", in: "grant")
        try requireCount(rental?.subject.encoded, GrantLimits.subject, "rental subject", in: "grant")
        guard let offline else { return }
        try requireCount(offline.streamID, 16...16, "stream ID", in: "grant")
        try requireCount(offline.titleID, 16...16, "title ID", in: "grant")
        guard place.device != nil else {
            throw KeyStoreError(.invalidRecord, place: "grant", reason: "only a device can keep a key")
        }
    }
}

extension SyncClaim {
    /// - Throws: ``KeyStoreError/Code/invalidRecord`` when a field has a size that the store does not take.
    package func check() throws(KeyStoreError) {
        try checkAccount(account)
        try requireCount(streamID, 16...16, "stream ID", in: "sync")
        try requireCount(titleID, 16...16, "title ID", in: "sync")
        guard case .invalidated(let streamIDs, _, _) = message else { return }
        guard streamIDs.count <= Self.maximumStreamIDs else {
            throw KeyStoreError(.invalidRecord, place: "sync", reason: "\(streamIDs.count) stream IDs")
        }
        for streamID in streamIDs { try requireCount(streamID, 16...16, "stream ID", in: "sync") }
    }
}

/// - Throws: ``KeyStoreError/Code/invalidRecord`` when an account's name is empty or too long.
package func checkAccount(_ account: String) throws(KeyStoreError) {
    try requireCount(Array(account.utf8), GrantLimits.account, "account", in: "grant")
}
