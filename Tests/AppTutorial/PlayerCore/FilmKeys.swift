import ContentKeySession

/// The keys of the films that a session plays.
public final class FilmKeys: Sendable {
    /// The loader that answers the session's key requests.
    public let loader: KeyLoader

    /// Creates the keys of a session.
    ///
    /// - Parameters:
    ///   - session: A `PlatformContentKeySession` in the app, a `KeySession` in tests.
    ///   - server: The address of the key server, such as `https://keys.example`.
    ///   - transport: A `URLSessionTransport` in the app, a `TestKeyServer` in tests.
    ///   - clock: The clock of timeouts and leases.
    ///   - token: Returns a playback token of the viewer. If `isNew` is true, the last token cannot be used again.
    public init(
        session: any ContentKeySource,
        server: String,
        transport: any KeyTransport,
        clock: any Clock<Duration> = ContinuousClock(),
        token: @escaping @Sendable (_ isNew: Bool) async throws -> String
    ) {
        let service = KeyService.keyway(server) { purpose in
            PlaybackToken(try await token(purpose != .license))
        }
        loader = KeyLoader(source: session, service: service, transport: transport, clock: clock)
    }

    /// Answers key requests until the session ends.
    public func run() async { await loader.run() }
}
