extension CPIXDocument.DRMSystem {
    /// Returns the entry with the signaling data of its system for the key. It contains the elements that this entry
    /// requests, or all elements of the system if this entry requests none.
    ///
    ///     element                               fairplay   widevine               playready
    ///     PSSH                                  key IDs    box                    box
    ///     ContentProtectionData                 -          cenc:pssh              cenc:pssh, mspr:pro
    ///     URIExtXKey                            skd://     data: with the box     data: with the object
    ///     HLSSignalingData media, master        tag        tag                    tag
    ///     SmoothStreamingProtectionHeaderData   -          -                      the object in Base64
    ///
    /// The common system has the same elements as Widevine.
    ///
    /// - Parameters:
    ///   - scheme: The encryption scheme.
    ///   - keyURI: The URI of the FairPlay key.
    ///   - version: The version of the document. CPIX 2.4 has no URIExtXKey, so it is returned only if it is requested.
    /// - Throws: `unknown-system`; `method-not-allowed` for FairPlay unless the scheme is `cbcs`; `invalid-key-uri`.
    public func answered(
        scheme: CommonEncryptionScheme,
        keyURI fairPlayURI: String,
        version: CPIXDocument.Version = .v2_3
    ) throws(SignalingError) -> CPIXDocument.DRMSystem {
        guard let system = ProtectionSystem.known.first(where: { $0.systemID == systemID }) else {
            throw SignalingError(
                .unknownSystem,
                "CPIX, line \(line), DRMSystem",
                "the system \(systemID) is not supported"
            )
        }
        let method: HLSKeyMethod = scheme.usesCounterMode ? .sampleAESCTR : .sampleAES
        let signal: HLSKeySignal
        switch system {
        case .widevine: signal = try .widevine(keyID: keyID, method: method)
        case .playReady: signal = try .playReady(keyID: keyID, method: method)
        case .common: signal = try .clearKey(keyID: keyID, method: method)
        default: signal = try HLSKeySignal(system: system, method: method, uri: fairPlayURI)
        }
        let box = try ProtectionSystemSpecificHeader(announcing: [keyID], to: system, scheme: scheme)
        var xml: String?
        var object: String?
        if system != .fairPlay, let box {
            xml = "<cenc:pssh xmlns:cenc=\"urn:mpeg:cenc:2013\">\(box.base64)</cenc:pssh>"
        }
        if system == .playReady {
            let pro = try PlayReadyObject(PlayReadyHeader(keyIDs: [keyID], scheme: scheme)).base64
            object = pro
            xml = (xml ?? "") + "<mspr:pro xmlns:mspr=\"urn:microsoft:playready\">\(pro)</mspr:pro>"
        }
        var response = self
        (response.pssh, response.contentProtectionData, response.keyURI) = (nil, nil, nil)
        (response.mediaPlaylistSignaling, response.multivariantPlaylistSignaling) = (nil, nil)
        (response.smoothStreamingHeader, response.hdsSignaling) = (nil, nil)
        if requestsAllElements || pssh != nil { response.pssh = box?.bytes }
        if requestsAllElements || contentProtectionData != nil { response.contentProtectionData = xml }
        if (requestsAllElements && version == .v2_3) || keyURI != nil { response.keyURI = signal.uri }
        if requestsAllElements || mediaPlaylistSignaling != nil {
            response.mediaPlaylistSignaling = signal.line(isSessionKey: false)
        }
        if requestsAllElements || multivariantPlaylistSignaling != nil {
            response.multivariantPlaylistSignaling = signal.line(isSessionKey: true)
        }
        if requestsAllElements || smoothStreamingHeader != nil { response.smoothStreamingHeader = object }
        return response
    }

    private var requestsAllElements: Bool {
        pssh == nil && contentProtectionData == nil && keyURI == nil && mediaPlaylistSignaling == nil
            && multivariantPlaylistSignaling == nil && smoothStreamingHeader == nil && hdsSignaling == nil
    }
}
