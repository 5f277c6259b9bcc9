package import KeyStore

extension Sample {
    /// Returns a device by number.
    package static func device(_ number: Int) -> DeviceHash {
        let bytes = withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
        guard let device = DeviceHash(stored: bytes + bytes) else { preconditionFailure("16 bytes") }
        return device
    }

    /// Returns a client by number.
    package static func client(_ number: Int) -> PlaybackClient { .device(device(number)) }

    /// Returns 32 bytes from a number.
    package static func hash(_ number: Int) -> [UInt8] { device(number).bytes + device(number).bytes }

    /// Returns a stream or title ID from a number.
    package static func id(_ number: Int) -> [UInt8] { device(number).bytes }

    /// Returns a response; the number distinguishes it from others.
    package static func answer(_ number: Int = 0) -> IssuedLicense {
        IssuedLicense(ckc: hash(number) + hash(7), isPersistable: number % 2 == 1, hasDualExpiry: number % 4 == 3)
    }

    /// Returns a proposal without claims, of a device and a session with the same number by default.
    package static func proposal(
        _ account: String = "anna",
        device: Int = 1,
        session: UInt64? = nil,
        at now: Int64 = 1_000,
        asset: String = "movie/hd",
        answer: Int = 0
    ) -> GrantProposal {
        GrantProposal(
            account: account,
            now: now,
            client: client(device),
            sessionID: session ?? UInt64(device),
            assetID: Array(asset.utf8),
            answer: Self.answer(answer),
            audit: audit(now &* 1_000)
        )
    }

    /// A Sync claim of device 1.
    package static func sync(
        _ account: String = "anna",
        device: Int = 1,
        at now: Int64,
        stream: Int? = nil,
        title: Int? = nil,
        made: Int64? = nil,
        _ message: SyncClaim.Message
    ) -> SyncClaim {
        var claim = SyncClaim(
            account: account,
            device: Self.device(device),
            now: now,
            streamID: stream.map { id($0) },
            titleID: title.map { id($0) },
            message: message,
            audit: AuditRecord(milliseconds: now * 1_000, route: "/fps/license", outcome: "reported", microseconds: 9)
        )
        claim.made = made
        return claim
    }
}

extension GrantProposal {
    /// Returns the proposal with a change.
    package func with(_ change: (inout GrantProposal) -> Void) -> GrantProposal {
        var copy = self
        change(&copy)
        return copy
    }

    /// Returns the proposal with a slot claim.
    package func slot(limit: Int? = 2, for seconds: Int64 = 600, _ purpose: SlotClaim.Purpose = .playback)
        -> GrantProposal
    {
        with { $0.slot = SlotClaim(limit: limit, until: now + seconds, purpose: purpose) }
    }

    /// Returns the proposal with a device claim.
    package func counted(limit: Int? = 2, deviceClass: String? = nil) -> GrantProposal {
        with { $0.device = DeviceClaim(limit: limit, deviceClass: deviceClass) }
    }

    /// Returns the proposal with a replay claim.
    package func once(_ key: Int, expires: Int64 = 10_000, grace: Int64 = 30) -> GrantProposal {
        with { $0.replay = ReplayClaim(key: Sample.hash(key), expires: expires, grace: grace) }
    }

    /// Returns the proposal with a single-use token.
    package func bound(_ token: Int, expires: Int64 = 5_000) -> GrantProposal {
        with { $0.binding = TokenBindingClaim(token: Sample.hash(token), expires: expires) }
    }

    /// Returns the proposal with a rental, of a title by default.
    package func rental(
        _ subject: RentalSubject = .title("movie"),
        start: Int64? = nil,
        duration: Int64 = 3_600,
        byToken: Bool = false,
        binds: Bool = false
    ) -> GrantProposal {
        with {
            $0.rental = RentalClaim(
                subject: subject,
                duration: duration,
                start: start ?? now,
                isTokensStart: byToken,
                bindsDevice: binds
            )
        }
    }

    /// Returns the proposal with a persistent key, with dual expiry or one expiry. The default of `dual` is whether
    /// `playback` is given.
    package func offline(
        _ stream: Int = 1,
        title: Int? = 9,
        storage: Int64? = 86_400,
        playback: Int64? = nil,
        dual: Bool? = nil,
        renew: Bool = false
    ) -> GrantProposal {
        with {
            let isDual = dual ?? (playback != nil)
            $0.offline = OfflineClaim(
                streamID: Sample.id(stream),
                titleID: title.map { Sample.id($0) },
                storage: storage,
                playback: isDual ? playback : storage,
                hasDualExpiry: isDual,
                renewAfterExpiry: renew
            )
        }
    }

    /// Returns the proposal with another client.
    package func at(_ client: PlaybackClient) -> GrantProposal { with { $0.client = client } }

    /// Returns the proposal for a session of an adapter.
    package func behindAdapter(_ session: UInt64) -> GrantProposal { at(.session(session)) }
}

extension GrantOutcome {
    /// The code of a refusal; nil for anything else.
    package var refusal: GrantRefusal.Code? {
        if case .refused(let refusal) = self { refusal.code } else { nil }
    }
}

extension SyncOutcome {
    /// The code of a refusal; nil for anything else.
    package var refusal: GrantRefusal.Code? {
        if case .refused(let refusal) = self { refusal.code } else { nil }
    }
}

/// Returns the last outcomes in the audit log, the newest last.
func outcomes(_ store: any KeyServerStore, _ count: Int) async throws -> [String] {
    try await store.auditEntries(before: nil, limit: count).map(\.record.outcome).reversed()
}

/// Runs an operation several times concurrently, and returns the results in any order.
func concurrently<Value: Sendable>(
    _ count: Int,
    _ work: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: Value.self) { group in
        for number in 0..<count { group.addTask { try await work(number) } }
        var values: [Value] = []
        for try await value in group { values.append(value) }
        return values
    }
}

extension Sequence where Element: Equatable {
    /// Returns the number of elements equal to `value`.
    func count(of value: Element) -> Int { reduce(0) { $0 + ($1 == value ? 1 : 0) } }
}
