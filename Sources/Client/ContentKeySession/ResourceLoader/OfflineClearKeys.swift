import HLSPlaylist
import Locking

/// Offline playback of AES-128: stores clear keys when a title is downloaded, so that it plays without a network.
///
/// A clear key of HLS has an HTTP address, which a player requests directly; without a network, that request fails. The
/// app therefore intercepts the requests, with addresses that the player cannot load (``InterceptedAddresses``):
///
/// | Request | Response |
/// |---|---|
/// | a playlist | fetched; its keys are fetched and stored; then returned, rewritten |
/// | a stored key | the stored key; nothing is sent |
/// | another key | fetched, stored and returned |
/// | anything else | ``ResourceError/Code/notIntercepted`` |
///
/// Start at ``interceptedURL(for:)``, both for a download and for online playback. The downloaded playlists contain the
/// intercepted key addresses, so that offline only the keys are requested. A playlist whose keys cannot be fetched is
/// not returned, so that everything downloaded can be played.
///
/// The store contains the key itself. Use storage that only this app can read, such as the keychain; to protect content
/// from its viewer, use FairPlay Streaming.
public final class OfflineClearKeys: ResourceInterceptor {
    /// The maximum size of a playlist, in bytes.
    public static let maximumPlaylistSize = 16 << 20
    /// The maximum number of redirects of a playlist. Redirects of keys are not followed.
    public static let maximumRedirects = 5

    private let store: any PersistentKeyStore
    private let transport: any KeyTransport
    private let headers: @Sendable (String) async -> [KeyTransportHeader]
    private let timeout: Duration
    private let addresses: InterceptedAddresses
    /// The variables of Multivariant Playlists, by the addresses of their child playlists.
    private let variables = Lock<[String: [String: String]]>([:])

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - store: The store of keys by address.
    ///   - transport: The transport for playlists and keys.
    ///   - headers: The headers for a request to a key's address, such as a token. Check the address: a playlist can
    ///     specify any server.
    ///   - timeout: The timeout of one exchange.
    ///   - addresses: The address prefixes.
    public init(
        store: any PersistentKeyStore,
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

    /// Returns the address to pass to the player or the download instead of a playlist's own address.
    public func interceptedURL(for url: String) -> String { addresses.playlist(url) }

    /// Returns whether an address is an intercepted playlist or key address.
    public func intercepts(_ url: String) -> Bool { addresses.original(of: url) != nil }

    /// Answers a request for a playlist or a key.
    public func answer(_ request: ResourceRequest) async throws(ResourceError) -> ResourceResponse {
        switch addresses.original(of: request.url) {
        case .playlist(let url):
            return try ResourceResponse(try await playlist(url), as: [.playlist], for: request)
        case .key(let url):
            return try ResourceResponse(try await key(url), as: [.persistentContentKey, .contentKey], for: request)
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
                // The memory of an app that plays for days must be bounded.
                if all.count > 10_000 { all.removeAll() }
                for playlist in rewritten.playlists { all[playlist] = rewritten.variables }
            }
        }
        return rewritten.bytes
    }

    /// Fetches a playlist. Returns it with its address after redirects.
    private func fetchPlaylist(_ url: String) async throws(ResourceError) -> (bytes: [UInt8], url: String) {
        var url = url
        for _ in 0...Self.maximumRedirects {
            let answer = try await get(url, headers: [], maximum: Self.maximumPlaylistSize)
            guard (300...399).contains(answer.status), let location = answer.header("Location") else {
                guard answer.status == 200 else { throw ResourceError(.status, url, status: answer.status) }
                return (answer.body, url)
            }
            let next = URIReference.resolve(location, against: url)
            // A redirect from HTTPS to HTTP is not allowed.
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
        do { try await store.save(answer.body, for: url) } catch { throw ResourceError(.keyNotStored, url) }
        return answer.body
    }

    private func get(
        _ url: String,
        headers: [KeyTransportHeader],
        maximum: Int
    ) async throws(ResourceError) -> KeyTransportResponse {
        do throws(KeyTransportError) {
            return try await transport.send(
                KeyTransportRequest(.get, url, headers: headers, timeout: timeout, maximumResponseSize: maximum)
            )
        } catch {
            throw ResourceError(error, url)
        }
    }
}
