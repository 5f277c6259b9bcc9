import DRMSignaling

extension PackagingJob {
    /// Holds that the keys can be used, and that clients can be told of them.
    ///
    /// - Parameter period: When the key period begins, in Unix seconds; nil: it has no date.
    /// - Throws: ``JobFailure``, `SignalingError`.
    func checkKeys(period: Int64?) throws {
        guard let scheme else { return }
        try checkKeys(scheme)
        try checkKeyURIs(period: period)
    }

    private func checkKeys(_ scheme: TrackProtection.Scheme) throws {
        guard !keys.isEmpty else {
            throw JobFailure("keys", "\(scheme.rawValue) needs a key: give one, or have keys made (dev)")
        }
        _ = try PackagingKey.index(keys.all.map(\.key))
        for (trackClass, key) in keys.all where key.iv == nil {
            let name = trackClass.map { "the \($0.rawValue) key" } ?? "the key"
            if systems.contains(.fairPlay) {
                throw JobFailure(
                    "iv",
                    "\(name) has no IV; a FairPlay key server hands it out with the key, so it must be the one the server "
                        + "has: give it"
                )
            }
            // With AES-128 each segment's number can serve.
            if scheme != .aes128 { throw JobFailure("iv", "\(name) has no IV: give one") }
        }
    }

    private func checkKeyURIs(period: Int64?) throws {
        guard let template = keyURI ?? (systems.contains(.identity) ? nil : .fairPlay) else {
            throw JobFailure(
                "key-uri",
                "an identity key lies where clients fetch it, and nobody but you knows where: give it, such as "
                    + "https://keys.example.com/{kid}"
            )
        }
        guard systems.contains(.identity) || systems.contains(.fairPlay) else {
            if keyURI == nil { return }
            throw JobFailure(
                "key-uri",
                "the URIs of \(systems.map(\.name).joined(separator: " and ")) hold the key ID and cannot be chosen: leave "
                    + "it out"
            )
        }
        var uris: [(keyID: ContentKeyID, uri: String)] = []
        for trackClass in TrackClass.allCases {
            guard let key = keys[trackClass] else { continue }
            _ = try HLSKeySignal.signals(
                to: systems,
                keyID: key.keyID,
                method: scheme?.method ?? .sampleAES,
                template: template,
                track: trackClass.uriName,
                title: title,
                period: period
            )
            let uri = try template.uri(keyID: key.keyID, track: trackClass.uriName, title: title, period: period)
            uris.append((key.keyID, uri))
        }
        try KeyURITemplate.checkDistinct(uris)
    }
}
