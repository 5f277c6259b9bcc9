import HLSPlaylist
import Locking

/// AES-128 offline: keys in the clear that are kept when a title is downloaded and that play it without a network.
///
/// HLS keys in the clear have an address over HTTP, which a player asks by itself; without a network it would ask in vain.
/// So the app stands between, with addresses that the player cannot load (``InterceptedAddresses``):
///
/// | Asked for | Done |
/// |---|---|
/// | a playlist | it is fetched; its keys are fetched and kept first; then it is the answer, rewritten (``InterceptedPlaylist``) |
/// | a key that is kept | it is the answer; nothing is sent |
/// | another key | it is fetched, kept, and the answer |
/// | anything else | ``ResourceError/Code/notIntercepted`` |
///
/// Begin at ``entrance(to:)``, for the download as for playing online. The downloaded playlists keep the addresses of keys
/// that this answers for, so that offline it is asked for the keys alone. A playlist whose key cannot be had has no
/// answer: what is downloaded plays.
///
/// What is kept here is the key itself. Keep it where only this app reads it, such as in the keychain; and where content
/// has to be protected from its viewer, use FairPlay Streaming.
public final class KeptClearKeys: ResourceInterceptor {
    /// The greatest playlist that is taken, in bytes.
    public static let maximumPlaylist = 16 << 20
    /// How many redirects of a playlist are followed. Those of a key are not.
    public static let maximumRedirects = 5

    private let store: any KeptKeys
    private let transport: any KeyTransport
    private let headers: @Sendable (String) async -> [KeyTransportHeader]
    private let timeout: Duration
    private let addresses: InterceptedAddresses
    /// The variables of Multivariant Playlists, by the playlists that they lead to.
    private let variables = Lock<[String: [String: String]]>([:])

    /// Begins.
    ///
    /// - Parameters:
    ///   - store: Where keys are kept, by their addresses.
    ///   - transport: How playlists and keys are fetched.
    ///   - headers: What is sent along to the address of a key: a token, where the key's server wants one. Look at the
    ///     address: a playlist may name any server.
    ///   - timeout: How long one exchange may take.
    public init(
        store: any KeptKeys,
        transport: any KeyTransport,
        headers: @escaping @Sendable (String) async -> [KeyTransportHeader] = { _ in [] },
        timeout: Duration = .seconds(10),
        addresses: InterceptedAddresses = .schemes
    ) {
        self.store = store
        self.transport = transport
        self.headers = headers
        self.timeout = timeout
        self.addresses = addresses
    }

    /// The address to give to the player, or to the download, instead of a playlist's own.
    public func entrance(to url: String) -> String { addresses.playlist(url) }

    /// Whether an address is one of a playlist or a key that was changed.
    public func intercepts(_ url: String) -> Bool { addresses.original(of: url) != nil }

    /// Answers for a playlist or a key.
    public func answer(_ request: ResourceRequest) async throws(ResourceError) -> ResourceAnswer {
        switch addresses.original(of: request.url) {
        case .playlist(let url):
            return try ResourceAnswer(try await playlist(url), as: [.playlist], for: request)
        case .key(let url):
            return try ResourceAnswer(try await key(url), as: [.persistentContentKey, .contentKey], for: request)
        case nil: throw ResourceError(.notIntercepted, request.url)
        }
    }

    // MARK: Playlists

    private func playlist(_ url: String) async throws(ResourceError) -> [UInt8] {
        let (bytes, from) = try await fetchPlaylist(url)
        let rewritten: InterceptedPlaylist
        do {
            rewritten = try InterceptedPlaylist(
                rewriting: bytes,
                url: from,
                importedVariables: variables.withLock { $0[url] },
                addresses: addresses
            )
        } catch {
            throw ResourceError(.unreadablePlaylist, url)
        }
        for key in rewritten.keys { _ = try await self.key(key) }
        if !rewritten.variables.isEmpty {
            variables.withLock { all in
                // An app that plays for days must not grow with what it played.
                if all.count > 10_000 { all.removeAll() }
                for playlist in rewritten.playlists { all[playlist] = rewritten.variables }
            }
        }
        return rewritten.bytes
    }

    /// A playlist, and where it came from.
    private func fetchPlaylist(_ url: String) async throws(ResourceError) -> (bytes: [UInt8], url: String) {
        var url = url
        for _ in 0...Self.maximumRedirects {
            let answer = try await get(url, headers: [], maximum: Self.maximumPlaylist)
            guard (300...399).contains(answer.status), let location = answer.header("Location") else {
                guard answer.status == 200 else { throw ResourceError(.status, url, status: answer.status) }
                return (answer.body, url)
            }
            let next = URIReference.resolve(location, against: url)
            // Nobody is led from a protected connection to an open one.
            guard URIReference.scheme(of: next) == "https" || URIReference.scheme(of: url) == "http",
                InterceptedAddresses.isOverHTTP(next)
            else { throw ResourceError(.badAddress, url) }
            url = next
        }
        throw ResourceError(.badAddress, url)
    }

    // MARK: Keys

    private func key(_ url: String) async throws(ResourceError) -> [UInt8] {
        if let kept = await store.key(for: url), kept.count == 16 { return kept }
        let answer = try await get(url, headers: await headers(url), maximum: 4096)
        guard answer.status == 200 else { throw ResourceError(.status, url, status: answer.status) }
        guard answer.body.count == 16 else { throw ResourceError(.unreadableKey, url) }
        await store.keep(answer.body, for: url)
        return answer.body
    }

    private func get(
        _ url: String,
        headers: [KeyTransportHeader],
        maximum: Int
    ) async throws(ResourceError) -> KeyTransportAnswer {
        do throws(KeyTransportError) {
            return try await transport.send(
                KeyTransportRequest(.get, url, headers: headers, timeout: timeout, maximumAnswer: maximum)
            )
        } catch {
            throw ResourceError(error, url)
        }
    }
}
