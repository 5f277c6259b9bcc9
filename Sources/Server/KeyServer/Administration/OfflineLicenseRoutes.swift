import Hummingbird
package import KeyStore
package import TextCoding

/// The route that lists the persistent keys of all accounts.
///
///     GET /admin/licenses[?account=&asset=&device=&playable=true]    playable: only keys that can still be played, as far as is known
///
/// The routes of an account revoke them (``AccountRoutes``).
struct OfflineLicenseRoutes: Sendable {
    let store: any ListStore
    private static let licenses = AdminList(table: .offlineLicenses, filters: [.account, .asset, .device])

    var endpoints: [AdminEndpoint] {
        [AdminEndpoint(.get, "/admin/licenses", .read) { try await list($0) }]
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        var query = try request.query()
        let isPlayable = try query.readBool("playable") ?? false
        let conditions: [ListCondition] =
            isPlayable
            ? [
                .nullOrGreater(.until, request.now),
                .nullOrEqual(.endReason, .text(OfflineLicenseRecord.End.revoked.rawValue)),
            ] : []
        return try await request.answer(
            Self.licenses,
            matching: conditions,
            rest: query,
            \.administrationJSON
        ) { query throws(KeyStoreError) in try await store.offlineLicenses(query) }
    }
}

extension OfflineLicenseRecord {
    /// The persistent key in the administration API.
    package var administrationJSON: JSONValue {
        let fields: AdminJSON.Fields = [
            ("account", .string(account)),
            ("device", .string(Hexadecimal.encode(device.bytes))),
            ("streamId", .string(Hexadecimal.encode(streamID))),
            ("titleId", titleID.map { .string(Hexadecimal.encode($0)) }),
            ("granted", AdminJSON.time(granted)),
            ("storageUntil", AdminJSON.time(storageUntil)),
            ("playback", AdminJSON.time(playback)),
            ("until", AdminJSON.time(until)),
            ("firstPlaySeen", AdminJSON.time(firstPlaySeen)),
            ("reported", AdminJSON.time(reported)),
            ("end", end.map { .string($0.rawValue) }),
            ("ended", AdminJSON.time(ended)),
        ]
        return .fields(fields + AdminJSON.asset(assetID))
    }
}
