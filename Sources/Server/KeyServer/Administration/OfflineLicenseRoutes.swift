import Hummingbird
package import KeyStore
package import TextCoding

/// The route that lists the persistent keys of all accounts.
///
///     GET /admin/licenses[?playable=true]    playable: only keys that can still be played, as far as is known
///
/// The routes of an account revoke them (``AccountRoutes``).
struct OfflineLicenseRoutes: Sendable {
    let store: any GrantStore

    var endpoints: [AdminEndpoint] {
        [AdminEndpoint(.get, "/admin/licenses", .read) { try await list($0) }]
    }

    private func list(_ request: AdminRequest) async throws -> Response {
        var query = try request.query()
        let isPlayable = try query.readBool("playable") ?? false
        let page = try AdminPage(&query)
        let last = try page.after.map { key throws(ProblemDocument) in
            guard let last = OfflineLicenseRecord(cursor: key) else { throw AdminPage.unknownCursor }
            return last
        }
        let found = try await store.offlineLicenses(
            playableAt: isPlayable ? request.now : nil,
            after: last,
            limit: page.count
        )
        return page.answer(found, key: \.cursor, \.administrationJSON)
    }
}

extension OfflineLicenseRecord {
    /// The cursor of a persistent key in a list: its account, then device and stream ID of 16 bytes each.
    fileprivate var cursor: [UInt8] { Array(account.utf8) + device.bytes + streamID }

    /// Creates a record with the account, device and stream ID in a cursor.
    fileprivate init?(cursor: [UInt8]) {
        guard cursor.count > 32,
            let account = String(validating: cursor.dropLast(32), as: UTF8.self),
            let device = DeviceHash(stored: Array(cursor.suffix(32).prefix(16)))
        else { return nil }
        self.init(
            account: account,
            device: device,
            streamID: Array(cursor.suffix(16)),
            titleID: nil,
            assetID: [],
            granted: 0,
            storageUntil: nil,
            playback: nil,
            until: nil
        )
    }

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
