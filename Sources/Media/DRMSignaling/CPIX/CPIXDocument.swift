/// Content keys and what they are for, as packagers and key servers exchange them: DASH-IF's Content Protection
/// Information Exchange Format, version 2.3.
///
/// A document whose keys are in the clear is as good as the content itself. ``encryptKeys(at:)`` and
/// ``decryptKeys(with:)`` lead to encrypted keys and back.
///
///     CPIX @contentId @name @version                          namespace urn:dashif:org:cpix
///       DeliveryDataList         / DeliveryData               DeliveryData
///       ContentKeyList           / ContentKey                 ContentKey
///       DRMSystemList            / DRMSystem                  DRMSystem
///       ContentKeyPeriodList     / ContentKeyPeriod           KeyPeriod
///       ContentKeyUsageRuleList  / ContentKeyUsageRule        UsageRule
///       UpdateHistoryItemList    / UpdateHistoryItem          UpdateHistoryItem
///       ds:Signature                                          noted, never checked
///
/// Signatures are not checked, and do not survive: SPEKE has none, and what a document is trusted for is decided by the
/// connection that it comes by. Whoever needs signatures checks them before the document comes here.
public struct CPIXDocument: Sendable {
    /// What the keys belong to: a title.
    public var contentID: String?
    /// A name for people.
    public var name: String?
    /// The version that the document says it has; ``version`` is what is written.
    public var declaredVersion: String?
    /// To whom the keys are encrypted, or are to be.
    public var deliveryData: [DeliveryData] = []
    /// The keys, in the document's order.
    public var contentKeys: [ContentKey] = []
    /// What protection systems say of them.
    public var systems: [DRMSystem] = []
    /// Times in which keys are used.
    public var periods: [KeyPeriod] = []
    /// What the keys are for.
    public var usageRules: [UsageRule] = []
    /// Who changed the document.
    public var history: [UpdateHistoryItem] = []
    /// Whether the document that was read had a signature.
    public internal(set) var isSigned = false
    /// The elements that were passed over since this format has none such there, the first hundred of them.
    public internal(set) var passedOver: [PassedOver] = []

    /// An element that was passed over.
    public struct PassedOver: Sendable, Equatable {
        /// The line in which its start tag ends.
        public let line: Int
        /// The element that it stands in.
        public let parent: String

        /// Describes an element.
        public init(line: Int, parent: String) {
            self.line = line
            self.parent = parent
        }
    }

    /// The namespace of the format.
    public static let namespace = "urn:dashif:org:cpix"
    /// The namespace of the elements that carry a key (RFC 6030).
    public static let keyNamespace = "urn:ietf:params:xml:ns:keyprov:pskc"
    /// The version that is written.
    public static let version = "2.3"

    /// Makes an empty document.
    public init(contentID: String? = nil) { self.contentID = contentID }
}

extension CPIXDocument {
    /// What a document may have, beside the bounds of ``XMLTree``.
    enum Limit {
        /// Recipients.
        static let deliveryData = 32
        /// Keys, and periods.
        static let keys = 100_000
        /// Systems, and usage rules.
        static let systems = 400_000
        /// Filters of a kind in a usage rule.
        static let filters = 1_000
        /// Bytes of an attribute.
        static let attribute = 1_000
        /// Bytes of what stands in Base64.
        static let data = 65_536
        /// How many elements that were passed over are listed.
        static let passedOver = 100
    }
}
