package import DRMSignaling
package import FPSCrypto

/// Keys from a key server that speaks SPEKE v2.0: the question as a document, and what the answer comes to. No I/O.
///
///     class     audio   SD   HD   UHD
///     type      AUDIO   SD   HD   UHD       intendedTrackType
///
/// Key IDs are the packager's to choose. They follow from content ID, type and key period, so that whoever packages the
/// same again gets the same keys, and so do two packagers that do at once:
///
///     key ID = the first 16 bytes of SHA-256("keyway key exchange" 00 content ID 00 type 00 period), as a UUID of version 8
///     period = its number in decimal digits; nothing where keys do not change
///
/// So do the initialization vectors that are proposed for cbcs, as SPEKE lets encryptors do. There are servers that send
/// back what was proposed and have no vectors of their own; where the answer has another one, that is used.
///
///     IV     = the first 16 bytes of SHA-256 of the same, 00 and "iv"
package struct KeyExchange: Sendable {
    /// A key period that is asked for.
    package struct Period: Hashable, Sendable {
        /// Its number, from 0.
        package var number: Int
        /// When it begins and when it ends, in Unix seconds; nil where nothing has a date.
        package var times: Range<Int64>?

        /// Describes a period.
        package init(number: Int, times: Range<Int64>? = nil) {
            self.number = number
            self.times = times
        }
    }

    /// To whom keys are encrypted on the way.
    package struct Recipient: Sendable {
        /// What the question has.
        let certificate: X509Certificate
        /// What opens the answer.
        let privateKey: RSAPrivateKey

        /// Takes both halves.
        ///
        /// - Throws: ``KeyExchangeFailure`` when they do not belong together.
        package init(certificate: X509Certificate, privateKey: RSAPrivateKey) throws(KeyExchangeFailure) {
            guard certificate.matches(privateKey) else {
                throw KeyExchangeFailure("the private key is not the certificate's")
            }
            self.certificate = certificate
            self.privateKey = privateKey
        }
    }

    /// What the server calls the content.
    package let contentID: String
    /// How media are encrypted.
    package let method: HLSKeyMethod
    /// Whom keys are signaled to.
    package let systems: [ProtectionSystem]
    private let recipient: Recipient?

    /// Prepares an exchange.
    ///
    /// - Parameter recipient: Without one keys come in the clear, and the connection alone protects them.
    /// - Throws: ``KeyExchangeFailure`` for a content ID of none or more than 1,000 bytes, for AES-128, and for systems that
    ///   SPEKE has not.
    package init(
        contentID: String,
        method: HLSKeyMethod,
        systems: [ProtectionSystem],
        recipient: Recipient? = nil
    ) throws(KeyExchangeFailure) {
        guard (1...1_000).contains(contentID.utf8.count) else {
            throw KeyExchangeFailure("a content ID has 1 to 1,000 bytes")
        }
        guard method != .aes128 else {
            throw KeyExchangeFailure("SPEKE has keys for cbcs and cenc: AES-128 has no such scheme")
        }
        if let system = systems.first(where: { $0.systemID == nil }) {
            throw KeyExchangeFailure("\(system.name) is no system that SPEKE has data for")
        }
        self.contentID = contentID
        self.method = method
        self.systems = systems
        self.recipient = recipient
    }

    private var scheme: String { method == .sampleAESCTR ? "cenc" : "cbcs" }

    /// The key ID of a class.
    package func keyID(of trackClass: TrackClass, in period: Period? = nil) -> ContentKeyID? {
        var bytes = bytes(for: trackClass, in: period)
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        return ContentKeyID(bytes)
    }

    /// The initialization vector that is proposed for a class; nil for cenc, where each sample has its own.
    func proposedIV(of trackClass: TrackClass, in period: Period?) -> [UInt8]? {
        scheme == "cbcs" ? bytes(for: trackClass, in: period, "iv") : nil
    }

    /// 16 bytes that follow from content ID, type and period.
    private func bytes(for trackClass: TrackClass, in period: Period?, _ use: String? = nil) -> [UInt8] {
        var parts = ["keyway key exchange", contentID, Self.type(of: trackClass), period.map { "\($0.number)" } ?? ""]
        if let use { parts.append(use) }
        return Array(SHA256.hash(Array(parts.joined(separator: "\0").utf8)).prefix(16))
    }

    /// The question for the keys of classes.
    package func question(for trackClasses: [TrackClass], in period: Period? = nil) -> CPIXDocument {
        var document = CPIXDocument(contentID: contentID)
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
                // Empty elements ask. URIExtXKey is not asked for: SPEKE v2.0 has it no more, and whoever asks for what is
                // not answered has to stop.
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

    /// The keys of an answer, with what it says of them.
    ///
    /// - Parameter xml: The answer's document.
    /// - Throws: ``KeyExchangeFailure`` when a key that was asked for is missing, or not as it was asked for;
    ///   `SignalingError` for a document that is not valid CPIX, or keys that cannot be decrypted.
    package func keys(
        in xml: [UInt8],
        for trackClasses: [TrackClass],
        in period: Period? = nil
    ) throws -> ContentKeys {
        var answer = try CPIXDocument(xml: xml)
        guard answer.contentID == nil || answer.contentID == contentID else {
            throw KeyExchangeFailure("the answer is about another contentId")
        }
        if let recipient {
            guard answer.contentKeys.allSatisfy({ $0.value == nil || $0.isEncrypted }) else {
                throw KeyExchangeFailure("the answer has keys in the clear, and encrypted ones were asked for")
            }
            try answer.decryptKeys(with: recipient.privateKey)
        }
        let found = Dictionary(answer.contentKeys.map { ($0.keyID, $0) }) { first, _ in first }
        var keys = ContentKeys()
        for trackClass in trackClasses {
            guard let keyID = keyID(of: trackClass, in: period) else { continue }
            let place = "the \(trackClass.rawValue) key \(keyID)"
            guard let entry = found[keyID], let key = entry.key else {
                throw KeyExchangeFailure("\(place) is missing in the answer, or encrypted to somebody else")
            }
            guard entry.scheme == nil || entry.scheme == scheme else {
                throw KeyExchangeFailure("\(place) is for another scheme than \(scheme)")
            }
            if systems.contains(.fairPlay), entry.explicitIV == nil {
                throw KeyExchangeFailure("\(place) has no explicitIV, which FairPlay hands out beside the key")
            }
            keys.classes[trackClass] = try PackagingKey(
                keyID: keyID,
                key: key,
                iv: entry.explicitIV.map { SecretBytes(copying: $0) }
            )
        }
        let asked = Set(keys.all.map(\.key.keyID))
        keys.systemData = try KeySystemData(answer.systems.filter { asked.contains($0.keyID) }, method: method)
        return keys
    }

    /// The word of SPEKE for a class.
    private static func type(of trackClass: TrackClass) -> String { trackClass.rawValue.uppercased() }
}
