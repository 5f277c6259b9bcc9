/// Content keys and their usage, as exchanged by packagers and key servers: DASH-IF's Content Protection Information
/// Exchange Format (CPIX), versions 2.3 and 2.4.
///
/// A document with clear keys must be protected like the content itself. ``encryptKeys(at:)`` encrypts the keys, and
/// ``decryptKeys(with:)`` decrypts them.
///
///     CPIX @contentId @name @version                          namespace urn:dashif:org:cpix
///       DeliveryDataList         / DeliveryData               DeliveryData
///       ContentKeyList           / ContentKey                 ContentKey
///       DRMSystemList            / DRMSystem                  DRMSystem
///       ContentKeyPeriodList     / ContentKeyPeriod           KeyPeriod
///       ContentKeyUsageRuleList  / ContentKeyUsageRule        UsageRule
///       UpdateHistoryItemList    / UpdateHistoryItem          UpdateHistoryItem
///       ds:Signature                                          reported in isSigned, never verified
///
/// Attributes and elements that are not used are preserved as ``Extensions``.
///
/// Signatures are not verified and not preserved: SPEKE does not use them, and trust in a document comes from its
/// connection. If signatures are required, verify them before parsing the document.
public struct CPIXDocument: Sendable {
    /// The content ID.
    public var contentID: String?
    /// The display name.
    public var name: String?
    /// The version specified in a parsed document, which may be unknown.
    public var declaredVersion: String?
    /// The version with which the document is written: that of a parsed document if it is known, otherwise 2.3.
    public var version = Version.v2_3
    /// The recipients for which the keys are or will be encrypted.
    public var deliveryData: [DeliveryData] = []
    /// The keys, in document order.
    public var contentKeys: [ContentKey] = []
    /// The signaling data of DRM systems for the keys.
    public var systems: [DRMSystem] = []
    /// The key periods, in which keys are used.
    public var periods: [KeyPeriod] = []
    /// The usage rules, which assign keys to tracks.
    public var usageRules: [UsageRule] = []
    /// The update history.
    public var history: [UpdateHistoryItem] = []
    /// True if the parsed document has a signature.
    public internal(set) var isSigned = false
    /// The unused attributes and elements of the root element.
    public var extensions = Extensions()
    /// The unused attributes and elements of the lists, by the lists' names.
    var listExtensions: [String: Extensions] = [:]
    /// The namespaces of all extensions.
    var extensionNamespaces = ExtensionNamespaces()
    /// The elements that the format does not define at their position; at most 100.
    public internal(set) var passedOver: [PassedOver] = []

    /// A version of the format.
    public enum Version: String, Sendable, CaseIterable {
        /// Version 2.3, which SPEKE v2.0 uses.
        case v2_3 = "2.3"
        /// Version 2.4, which SPEKE v2.1 uses: HDCP levels, robustness, key periods by offsets.
        case v2_4 = "2.4"
    }

    /// An element that the format does not define.
    public struct PassedOver: Sendable, Equatable {
        /// The line of the end of the start tag.
        public let line: Int
        /// The name of the parent element.
        public let parent: String

        /// Creates an entry.
        public init(line: Int, parent: String) {
            self.line = line
            self.parent = parent
        }
    }

    /// The namespace of CPIX.
    public static let namespace = "urn:dashif:org:cpix"
    /// The namespace of the elements that contain a key (RFC 6030).
    public static let keyNamespace = "urn:ietf:params:xml:ns:keyprov:pskc"

    /// Creates an empty document.
    public init(contentID: String? = nil) { self.contentID = contentID }
}

extension CPIXDocument {
    /// The limits of a document, in addition to those of ``XMLTree``.
    enum Limit {
        /// The maximum number of recipients.
        static let deliveryData = 32
        /// The maximum number of keys, and of periods.
        static let keys = 100_000
        /// The maximum number of DRM systems, and of usage rules.
        static let systems = 400_000
        /// The maximum number of filters of one kind in a usage rule.
        static let filters = 1_000
        /// The maximum size of an attribute in bytes.
        static let attribute = 1_000
        /// The maximum size of Base64-encoded data in bytes.
        static let data = 65_536
        /// The maximum number of undefined elements listed.
        static let passedOver = 100
    }
}
