package import DRMSignaling
package import FPSCrypto

/// Requests keys from a SPEKE v2.0 or v2.1 key server: creates the request document, and parses the response. No I/O.
///
///     class     audio   SD   HD   UHD
///     type      AUDIO   SD   HD   UHD       intendedTrackType
///
/// The packager chooses the key IDs. They are derived from the content ID, the type and the key period, so that
/// packaging the same content again yields the same keys, and so do two packagers that run concurrently:
///
///     key ID = the first 16 bytes of SHA-256("keyway key exchange" 00 content ID 00 type 00 period), as a UUIDv8
///     period = its number in decimal digits; empty without key rotation. With CPIX 2.4, a hyphen, its start, a hyphen
///              and its end follow if they are known, because a key server may refuse a key ID with other times
///
/// The proposed initialization vectors for cbcs are derived in the same way; SPEKE permits encryptors to propose them.
/// Some servers return the proposed vector and do not generate any; if the response contains another one, that one is
/// used.
///
///     IV     = the first 16 bytes of SHA-256 of the same, 00 and "iv"
package struct KeyExchange: Sendable {
    /// A key period in a request.
    package struct Period: Hashable, Sendable {
        /// The number of the period, from 0.
        package var number: Int
        /// The start and end in Unix seconds; nil if the presentation has no dates.
        package var times: Range<Int64>?

        /// Creates a period.
        package init(number: Int, times: Range<Int64>? = nil) {
            self.number = number
            self.times = times
        }
    }

    /// The recipient for which the server encrypts the keys.
    package struct Recipient: Sendable {
        /// The certificate, which is included in the request.
        let certificate: X509Certificate
        /// The private key, which decrypts the response.
        let privateKey: RSAPrivateKey

        /// Creates a recipient.
        ///
        /// - Throws: ``KeyExchangeFailure`` if the private key does not match the certificate.
        package init(certificate: X509Certificate, privateKey: RSAPrivateKey) throws(KeyExchangeFailure) {
            guard certificate.matches(privateKey) else {
                throw KeyExchangeFailure("the private key does not match the certificate")
            }
            self.certificate = certificate
            self.privateKey = privateKey
        }
    }

    /// The server's ID of the content.
    package let contentID: String
    /// The encryption method.
    package let method: HLSKeyMethod
    /// The version of the documents: 2.3 for SPEKE v2.0, 2.4 for v2.1.
    package let version: CPIXDocument.Version
    /// The DRM systems for which keys are signaled.
    package let systems: [ProtectionSystem]
    private let recipient: Recipient?

    /// Creates an exchange.
    ///
    /// - Parameters:
    ///   - version: The version of the documents.
    ///   - recipient: The recipient of encrypted keys; nil to receive keys in the clear, protected only by the
    ///     connection.
    /// - Throws: ``KeyExchangeFailure`` for a content ID that is empty or longer than 1,000 bytes, for AES-128, and for
    ///   systems that SPEKE does not support.
    package init(
        contentID: String,
        method: HLSKeyMethod,
        systems: [ProtectionSystem],
        version: CPIXDocument.Version = .v2_3,
        recipient: Recipient? = nil
    ) throws(KeyExchangeFailure) {
        guard (1...1_000).contains(contentID.utf8.count) else {
            throw KeyExchangeFailure("the content ID must have 1 to 1,000 bytes")
        }
        guard method != .aes128 else {
            throw KeyExchangeFailure("SPEKE does not support the scheme aes-128: use cbcs or cenc")
        }
        if let system = systems.first(where: { $0.systemID == nil }) {
            throw KeyExchangeFailure("SPEKE does not support the system \(system.name): remove it")
        }
        self.contentID = contentID
        self.method = method
        self.systems = systems
        self.version = version
        self.recipient = recipient
    }

    private var scheme: String { method == .sampleAESCTR ? "cenc" : "cbcs" }

    /// Returns the key ID of a class.
    package func keyID(of trackClass: TrackClass, in period: Period? = nil) -> ContentKeyID? {
        var bytes = bytes(for: trackClass, in: period)
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return ContentKeyID(bytes)
    }

    /// Returns the proposed initialization vector of a class; nil for cenc, where each sample has one.
    func proposedIV(of trackClass: TrackClass, in period: Period?) -> [UInt8]? {
        scheme == "cbcs" ? bytes(for: trackClass, in: period, "iv") : nil
    }

    /// Returns 16 bytes derived from the content ID, the type and the period.
    private func bytes(for trackClass: TrackClass, in period: Period?, _ use: String? = nil) -> [UInt8] {
        var name = period.map { "\($0.number)" } ?? ""
        if version == .v2_4, let times = period?.times { name += "-\(times.lowerBound)-\(times.upperBound)" }
        var parts = ["keyway key exchange", contentID, Self.type(of: trackClass), name]
        if let use { parts.append(use) }
        return Array(SHA256.hash(Array(parts.joined(separator: "\0").utf8)).prefix(16))
    }

    /// Creates the request for the keys of classes.
    package func question(for trackClasses: [TrackClass], in period: Period? = nil) -> CPIXDocument {
        var document = CPIXDocument(contentID: contentID)
        document.version = version
        if let recipient { document.deliveryData = [.init(certificate: recipient.certificate.der)] }
        if let period {
            document.periods = [
                .init(
                    id: "period-\(period.number)",
                    index: period.number,
                    start: period.times?.lowerBound,
                    end: period.times?.upperBound
                )
            ]
        }
        for trackClass in trackClasses {
            guard let keyID = keyID(of: trackClass, in: period) else { continue }
            let iv = proposedIV(of: trackClass, in: period)
            document.contentKeys.append(.init(keyID: keyID, key: nil, explicitIV: iv, scheme: scheme))
            for system in systems {
                guard let systemID = system.systemID else { continue }
                var entry = CPIXDocument.DRMSystem(keyID: keyID, systemID: systemID)
                // Empty elements request data. URIExtXKey is not requested: SPEKE v2.0 no longer has it, and an
                // encryptor must stop if requested data is missing in the response.
                (entry.mediaPlaylistSignaling, entry.multivariantPlaylistSignaling) = ("", "")
                if system != .fairPlay { (entry.pssh, entry.contentProtectionData) = ([], "") }
                document.systems.append(entry)
            }
            var rule = CPIXDocument.UsageRule(keyID: keyID, intendedTrackType: Self.type(of: trackClass))
            if trackClass == .audio { rule.audioFilters = [.init()] } else { rule.videoFilters = [.init()] }
            rule.periodIDs = document.periods.map(\.id)
            document.usageRules.append(rule)
        }
        return document
    }

    /// Returns the keys in a response, with their DRM system data.
    ///
    /// - Parameter xml: The response document.
    /// - Throws: ``KeyExchangeFailure`` if a requested key is missing or does not match the request; `SignalingError`
    ///   if the document is not valid CPIX, or keys cannot be decrypted.
    package func keys(
        in xml: [UInt8],
        for trackClasses: [TrackClass],
        in period: Period? = nil
    ) throws -> ContentKeys {
        var response = try CPIXDocument(xml: xml)
        guard response.contentID == nil || response.contentID == contentID else {
            throw KeyExchangeFailure("the response has another contentId than the request")
        }
        if let recipient {
            guard response.contentKeys.allSatisfy({ $0.value == nil || $0.isEncrypted }) else {
                throw KeyExchangeFailure("the response contains clear keys, but encrypted keys were requested")
            }
            try response.decryptKeys(with: recipient.privateKey)
        }
        let found = Dictionary(response.contentKeys.map { ($0.keyID, $0) }) { first, _ in first }
        var keys = ContentKeys()
        for trackClass in trackClasses {
            guard let keyID = keyID(of: trackClass, in: period) else { continue }
            let subject = "the \(trackClass.rawValue) key \(keyID)"
            guard let entry = found[keyID], let key = entry.key else {
                throw KeyExchangeFailure("\(subject) is missing in the response, or encrypted for another recipient")
            }
            guard entry.scheme == nil || entry.scheme == scheme else {
                throw KeyExchangeFailure("\(subject) has the scheme \(entry.scheme ?? ""), but \(scheme) was requested")
            }
            if systems.contains(.fairPlay), entry.explicitIV == nil {
                throw KeyExchangeFailure("\(subject) has no explicitIV, which FairPlay requires")
            }
            keys.classes[trackClass] = try PackagingKey(
                keyID: keyID,
                key: key,
                iv: entry.explicitIV.map { SecretBytes(copying: $0) }
            )
            keys.outputProtection[trackClass] = try outputProtection(of: entry, response, subject)
        }
        let requestedIDs = Set(keys.all.map(\.key.keyID))
        keys.systemData = try KeySystemData(response.systems.filter { requestedIDs.contains($0.keyID) }, method: method)
        for key in response.contentKeys where requestedIDs.contains(key.keyID) {
            try keys.systemData.addOutputProtection(of: key)
        }
        // An encryptor must stop if requested data is missing. Only the server knows the URI of a FairPlay key.
        for keyID in requestedIDs where systems.contains(.fairPlay) {
            guard keys.systemData.tag(for: keyID, .fairPlay) != nil else {
                throw KeyExchangeFailure("the response has no HLSSignalingData of FairPlay for key \(keyID)")
            }
        }
        return keys
    }

    /// Returns the output protection that the response specifies for a key; nil if it specifies none.
    private func outputProtection(
        of key: CPIXDocument.ContentKey,
        _ response: CPIXDocument,
        _ subject: String
    ) throws(KeyExchangeFailure) -> OutputProtection? {
        var protection = OutputProtection()
        if let level = key.hdcp?.level {
            guard let hdcp = HDCPRequirement(rawValue: level) else {
                throw KeyExchangeFailure("\(subject) has an HLSHDCPLevel other than NONE, TYPE-0 and TYPE-1")
            }
            protection.hdcp = hdcp
        }
        for entry in response.systems where entry.keyID == key.keyID {
            guard let text = entry.allowedCPC, let system = systems.first(where: { $0.systemID == entry.systemID })
            else { continue }
            // KEYFORMAT:LABEL/LABEL (RFC 8216bis, 4.4.6.2).
            let labels = text.split(separator: ":").last?.split(separator: "/").map { CPCLabel(rawValue: String($0)) }
            guard text.hasPrefix(system.keyFormat + ":"), let labels, !labels.isEmpty, !labels.contains(nil) else {
                throw KeyExchangeFailure("\(subject): HLSAllowedCPC is not KEYFORMAT:LABELS of \(system.name)")
            }
            protection.labels[system] = labels.compactMap(\.self)
        }
        return protection == OutputProtection() ? nil : protection
    }

    /// Returns the intendedTrackType of a class in SPEKE.
    private static func type(of trackClass: TrackClass) -> String { trackClass.rawValue.uppercased() }
}
