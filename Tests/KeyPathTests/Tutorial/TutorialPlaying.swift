// The code of steps 1 to 5 of FromAnAppToOneWithKeys.md. TutorialTextTests.swift compares the two, and TutorialTests.swift
// runs the code.

import ContentKeySession
import ContentKeySessionTesting
import StreamPlayer
import VirtualDevice

// step 1
func play(_ film: String, from site: any MediaLoader, to output: any MediaOutput) async throws -> PlaybackReport {
    let player = Player(keys: PlayerKeySystems(), loader: site)
    return try await player.play(film, to: output)
}
// end

// step 2
final class CustomDelegate: KeySessionDelegate {
    let certificate: [UInt8]
    let send: @Sendable (_ spc: [UInt8]) async throws -> [UInt8]

    init(certificate: [UInt8], send: @escaping @Sendable (_ spc: [UInt8]) async throws -> [UInt8]) {
        (self.certificate, self.send) = (certificate, send)
    }

    func contentKeySession(_: KeySession, didProvide request: ContentKeyRequest) {
        Task {
            do {
                let asset = Array(request.identifier.dropFirst("skd://".count).utf8)
                let spc = try await request.makeStreamingContentKeyRequestData(
                    certificate: certificate,
                    contentIdentifier: asset
                )
                let ckc = try await send(spc)
                await request.processContentKeyResponse(.init(fairPlayStreamingKeyResponseData: ckc))
            } catch {
                await request.processContentKeyResponseError(error)
            }
        }
    }
}
// end

// step 2
/// Extracts the key of a virtual device. A real device decrypts media itself.
@Sendable func playable(_ key: any ProtectedContentKey) throws -> PlayableKey {
    guard let key = key as? DeviceKey else { throw ContentKeyError(.unsupportedOperation, .device) }
    let content = try key.contentKey()
    return PlayableKey(key: content.key, initializationVector: content.iv)
}

func play(
    _ film: String,
    from site: any MediaLoader,
    to output: any MediaOutput,
    with session: KeySession
) async throws -> PlaybackReport {
    let keys = PlayerKeySystems(fairPlay: session, content: playable)
    return try await Player(keys: keys, loader: site).play(film, to: output)
}
// end

// step 3
/// The account that is signed in to your service.
protocol Account: Sendable {
    func playbackToken(isFresh: Bool) async throws -> String
}

func keyService(_ server: String, for account: any Account) -> KeyService {
    .keyway(server) { purpose in
        PlaybackToken(try await account.playbackToken(isFresh: purpose != .license))
    }
}
// end

// step 3
func play(
    _ film: String,
    from site: any MediaLoader,
    to output: any MediaOutput,
    with session: KeySession,
    answeredBy loader: KeyLoader
) async throws -> PlaybackReport {
    async let _: Void = loader.run()
    let report = try await play(film, from: site, to: output, with: session)
    await session.expire()
    return report
}
// end

// step 4
func playPreloading(
    _ film: String,
    from site: any MediaLoader,
    to output: any MediaOutput,
    with session: KeySession,
    answeredBy loader: KeyLoader
) async throws -> PlaybackReport {
    let keys = PlayerKeySystems(fairPlay: session, content: playable)
    let player = Player(keys: keys, loader: site) { event in
        if case .loadedMultivariant(let playlist) = event { await loader.preload(playlist) }
    }
    return try await player.play(film, to: output)
}
// end

// step 4
func preloadEpisode(after identifier: String, by loader: KeyLoader) async {
    guard let next = KeyPrediction.trailingNumber.next(after: identifier) else { return }
    await loader.preload([next])
}
// end

// step 5
extension KeyLoaderSettings {
    /// Renews when about half of a lease is left.
    static var patient: KeyLoaderSettings {
        var settings = KeyLoaderSettings()
        settings.renewal = LeaseRenewal(margin: 0.5)
        return settings
    }
}

func watchLeases(of session: KeySession, tell: @Sendable (String) async -> Void) async {
    for await event in session.events {
        if case .didStop(let key, .leaseExpired) = event { await tell(key.identifier) }
    }
}
// end
