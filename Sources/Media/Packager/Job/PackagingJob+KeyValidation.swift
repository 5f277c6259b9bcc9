import DRMSignaling

extension PackagingJob {
    /// Checks that the keys are complete and can be signaled to clients.
    ///
    /// - Parameter period: The start of the key period in Unix seconds; nil if it has no date.
    /// - Throws: ``JobFailure``, `SignalingError`.
    func checkKeys(period: Int64?) throws {
        guard let scheme else { return }
        try checkKeys(scheme)
        try checkKeyURIs(period: period)
    }

    private func checkKeys(_ scheme: TrackProtection.Scheme) throws {
        guard !keys.isEmpty else {
            throw JobFailure("keys", "\(scheme.rawValue) requires a key: give one, or generate development keys (dev)")
        }
        _ = try PackagingKey.index(keys.all.map(\.key))
        for (trackClass, key) in keys.all where key.iv == nil {
            let name = trackClass.map { "the \($0.rawValue) key" } ?? "the key"
            if systems.contains(.fairPlay) {
                throw JobFailure(
                    "iv",
                    "\(name) has no IV; a FairPlay key server returns the IV with the key: give the IV that is stored "
                        + "on the server"
                )
            }
            // With AES-128 the media sequence number is the IV if none is given.
            if scheme != .aes128 { throw JobFailure("iv", "\(name) has no IV: give one") }
        }
    }

    private func checkKeyURIs(period: Int64?) throws {
        guard let template = keyURI ?? (systems.contains(.identity) ? nil : .fairPlay) else {
            throw JobFailure(
                "key-uri",
                "the system identity requires the URL from which clients fetch the key: give one, such as "
                    + "https://keys.example.com/{kid}"
            )
        }
        guard systems.contains(.identity) || systems.contains(.fairPlay) else {
            if keyURI == nil { return }
            throw JobFailure(
                "key-uri",
                "the key URIs of \(systems.map(\.name).joined(separator: " and ")) are fixed (they contain the key "
                    + "ID): remove this option"
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
