public import FPSCrypto

/// Content keys and what they are for, as packagers and key servers exchange them: DASH-IF's Content Protection
/// Information Exchange Format, version 2.3.
///
/// This is the part of it that carries keys in the clear. Whoever has such a document has the content.
///
///     CPIX @contentId @version                                        namespace urn:dashif:org:cpix
///       ContentKeyList
///         ContentKey @kid @explicitIV @commonEncryptionScheme
///           Data / pskc:Secret / pskc:PlainValue                      base64; namespace of RFC 6030
///       DRMSystemList
///         DRMSystem @kid @systemId / URIExtXKey                       base64 of the key URI
///       ContentKeyPeriodList
///         ContentKeyPeriod @id @index @start @end
///       ContentKeyUsageRuleList
///         ContentKeyUsageRule @kid @intendedTrackType
///           KeyPeriodFilter @periodId, VideoFilter, AudioFilter
public struct CPIXDocument: Sendable {
    /// A key.
    public struct ContentKey: Sendable {
        /// Which one it is.
        public var keyID: ContentKeyID
        /// AES-128: 16 bytes; nil in a document that asks for keys.
        public var key: SecretBytes?
        /// The initialisation vector, 16 bytes, where there is one for all samples.
        public var explicitIV: [UInt8]?
        /// `cbcs`, `cenc`, `cbc1` or `cens`.
        public var scheme: String?
        /// The line in which its start tag ends, for messages; 0 in a document that was not read.
        public var line = 0

        /// Makes a key.
        public init(keyID: ContentKeyID, key: SecretBytes?, explicitIV: [UInt8]? = nil, scheme: String? = nil) {
            self.keyID = keyID
            self.key = key
            self.explicitIV = explicitIV
            self.scheme = scheme
        }
    }

    /// What a protection system says of a key.
    public struct DRMSystem: Sendable, Equatable {
        /// The key.
        public var keyID: ContentKeyID
        /// The system.
        public var systemID: SystemID
        /// The URI of EXT-X-KEY; nil where the document does not say.
        public var keyURI: String?

        /// Makes an entry.
        public init(keyID: ContentKeyID, systemID: SystemID, keyURI: String?) {
            self.keyID = keyID
            self.systemID = systemID
            self.keyURI = keyURI
        }
    }

    /// A time in which a key is used.
    public struct KeyPeriod: Sendable, Equatable {
        /// What usage rules call it.
        public var id: String
        /// Its number, where periods are counted and not dated.
        public var index: Int?
        /// When it begins, in Unix seconds.
        public var start: Int64?
        /// When it ends, in Unix seconds.
        public var end: Int64?

        /// Makes a period.
        public init(id: String, index: Int? = nil, start: Int64? = nil, end: Int64? = nil) {
            self.id = id
            self.index = index
            self.start = start
            self.end = end
        }
    }

    /// What a key encrypts.
    public struct UsageRule: Sendable, Equatable {
        /// The key.
        public var keyID: ContentKeyID
        /// The track, in whatever words the document has: `SD`, `HD`, `UHD`, `AUDIO`.
        public var intendedTrackType: String?
        /// The periods in which it is used, by their IDs; none means always.
        public var periodIDs: [String]
        /// Whether a filter takes video.
        public var hasVideoFilter: Bool
        /// Whether a filter takes audio.
        public var hasAudioFilter: Bool

        /// Makes a rule.
        public init(
            keyID: ContentKeyID,
            intendedTrackType: String?,
            periodIDs: [String] = [],
            hasVideoFilter: Bool = false,
            hasAudioFilter: Bool = false
        ) {
            self.keyID = keyID
            self.intendedTrackType = intendedTrackType
            self.periodIDs = periodIDs
            self.hasVideoFilter = hasVideoFilter
            self.hasAudioFilter = hasAudioFilter
        }
    }

    /// What the keys belong to: a title.
    public var contentID: String?
    /// The keys, in the document's order.
    public var contentKeys: [ContentKey] = []
    /// What protection systems say of them.
    public var systems: [DRMSystem] = []
    /// Times in which keys are used.
    public var periods: [KeyPeriod] = []
    /// What the keys are for.
    public var usageRules: [UsageRule] = []

    /// The namespace of the format.
    public static let namespace = "urn:dashif:org:cpix"
    /// The namespace of the elements that carry a key (RFC 6030).
    public static let keyNamespace = "urn:ietf:params:xml:ns:keyprov:pskc"
    /// The version that is written.
    public static let version = "2.3"

    /// Makes an empty document.
    public init(contentID: String? = nil) { self.contentID = contentID }
}
