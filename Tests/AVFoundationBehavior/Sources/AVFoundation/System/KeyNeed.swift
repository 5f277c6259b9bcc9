package import Foundation

/// A key that a player or a download needs now, as a playlist declares it.
package struct KeyNeed: Sendable {
    /// The URI of the EXT-X-KEY tag.
    package var uri: String
    /// The key system: FairPlay, or clear key for METHOD=AES-128.
    package var keySystem: AVContentKeySystem
    /// The versions of KEYFORMATVERSIONS.
    package var versions: [Int] = [1]
    /// The output that needs the key. Each output has keys of its own (rule 45).
    package var route = OutputRoute.local
    /// False if a download needs the key, which does not start playback (rule 59).
    package var isPlayback = true

    package init(
        uri: String,
        keySystem: AVContentKeySystem,
        versions: [Int] = [1],
        route: OutputRoute = .local,
        isPlayback: Bool = true
    ) {
        (self.uri, self.keySystem, self.versions) = (uri, keySystem, versions)
        (self.route, self.isPlayback) = (route, isPlayback)
    }
}

/// A key that a session has loaded.
package enum LoadedKey: Sendable {
    case fairPlay(any FairPlayKey)
    /// 16 bytes.
    case clear(Data)
}

extension AVContentKeySession {
    /// Gets a key for a recipient: at once if the session has loaded it for this output (rule 44), otherwise by a
    /// request to the delegate. The completion is called later on the session's queue, once; a failure has the domain
    /// and code with which the request failed (rule 20).
    ///
    /// The player calls `startPlaying` of a FairPlay key through ``startPlaying(_:for:)``.
    package func needKey(
        _ need: KeyNeed,
        for recipient: any AVContentKeyRecipient,
        completion: @escaping @Sendable (Result<LoadedKey, NSError>) -> Void
    ) { needKeys([need], initializationData: nil, for: recipient, completion: completion) }

    /// Starts playback with a loaded key, which may replace its persistable key (rule 58) or be refused (rule 60).
    package func startPlaying(_ key: LoadedKey, for uri: String) throws(NSError) {
        guard case .fairPlay(let key) = key else { return }
        let replacement: Data?
        do throws(NSError) {
            replacement = try key.startPlaying()
        } catch {
            throw KeyError.failure(error)
        }
        guard let replacement else { return }
        let identifier = Unchecked(identifier(of: key) ?? uri)
        tell {
            $1.contentKeySession(
                $0,
                didUpdatePersistableContentKey: replacement,
                forContentKeyIdentifier: identifier.value
            )
        }
    }
}
