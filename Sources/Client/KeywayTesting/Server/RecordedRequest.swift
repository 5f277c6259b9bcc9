public import ContentKeySession

/// A request that a ``TestKeyServer`` received.
public struct RecordedRequest: Sendable, Hashable {
    /// A key in a request.
    public struct Key: Sendable, Hashable {
        /// The asset ID in the SPC.
        public let assetID: String
        /// True if the app requested a persistent key.
        public let isPersistable: Bool
        /// True if the app requested the key before it is needed.
        public let isPreload: Bool
        /// True if the device renews the lease of a key that it plays.
        public let isRenewal: Bool
    }

    /// The route.
    public let route: TestKeyServer.Route
    /// The URL, with its query.
    public let url: String
    /// The time of the request, by the server's clock.
    public let time: Duration
    /// The playback token; nil if the request has none.
    public let token: PlaybackToken?
    /// The keys that the request asks for, in order; empty if the request could not be read or the server did not read
    /// it because of a fault.
    public var keys: [Key] = []
    /// The status of the response; nil if there was none.
    public var status: Int?

    /// The asset IDs in the request, in order.
    public var assetIDs: [String] { keys.map(\.assetID) }
    /// True if the request renews a lease.
    public var isRenewal: Bool { keys.contains { $0.isRenewal } }
}

/// A device's report about a persistent key (Sync).
public struct OfflineKeyReport: Sendable, Hashable {
    /// The asset ID.
    public let assetID: String
    /// The remaining time of the key; nil if it does not expire.
    public let remaining: Duration?
    /// True if the report proves that the device has deleted keys.
    public let provesDeletion: Bool
    /// The stream IDs of the deleted keys, 16 bytes each.
    public let deletedStreamIDs: [[UInt8]]
}
