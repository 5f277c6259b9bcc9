import XMLDocuments

extension CPIXDocument {
    /// Parses a document. Elements that CPIX does not define are ignored, and listed in ``passedOver``.
    ///
    /// - Throws: `invalid-cpix` with the element and the line; `invalid-key`; `duplicate-key-id`. Errors contain no
    ///   text of the document.
    public init(xml bytes: [UInt8]) throws(SignalingError) {
        let root = try Self.root(of: bytes)
        guard root.name == "CPIX", root.namespace == Self.namespace else {
            throw SignalingError(
                .invalidCPIX,
                "CPIX, line \(root.line)",
                "the root element is not CPIX in the namespace \(Self.namespace)"
            )
        }
        contentID = try root.cpixText("contentId")
        name = try root.cpixText("name")
        declaredVersion = try root.cpixText("version")
        deliveryData = try Self.entries(root, "DeliveryDataList", "DeliveryData", Limit.deliveryData, DeliveryData.init)
        contentKeys = try Self.entries(root, "ContentKeyList", "ContentKey", Limit.keys, ContentKey.init)
        systems = try Self.entries(root, "DRMSystemList", "DRMSystem", Limit.systems, DRMSystem.init)
        periods = try Self.entries(root, "ContentKeyPeriodList", "ContentKeyPeriod", Limit.keys, KeyPeriod.init)
        usageRules = try Self.entries(
            root,
            "ContentKeyUsageRuleList",
            "ContentKeyUsageRule",
            Limit.systems,
            UsageRule.init
        )
        history = try Self.entries(
            root,
            "UpdateHistoryItemList",
            "UpdateHistoryItem",
            Limit.keys,
            UpdateHistoryItem.init
        )
        isSigned = root.children.contains { $0.name == "Signature" && $0.namespace == CPIXVocabulary.signatures }
        passedOver = CPIXVocabulary.undefinedElements(in: root)
        try checkIDs()
    }

    private static func root(of bytes: [UInt8]) throws(SignalingError) -> XMLTree.Element {
        do throws(XMLDocumentError) {
            return try XMLTree(bytes).root
        } catch {
            throw SignalingError(.invalidCPIX, "CPIX, \(error.place)", error.reason)
        }
    }

    private static func entries<Entry>(
        _ root: XMLTree.Element,
        _ list: String,
        _ name: String,
        _ limit: Int,
        _ read: (XMLTree.Element) throws(SignalingError) -> Entry
    ) throws(SignalingError) -> [Entry] {
        var entries: [Entry] = []
        for list in root.cpixChildren(list) {
            for element in list.cpixChildren(name) {
                guard entries.count < limit else {
                    throw element.cpixError("there are more than \(limit) \(name) elements")
                }
                entries.append(try read(element))
            }
        }
        return entries
    }

    /// Checks that key IDs and period IDs are unique.
    private func checkIDs() throws(SignalingError) {
        var keyIDs: Set<ContentKeyID> = []
        for key in contentKeys where !keyIDs.insert(key.keyID).inserted {
            throw SignalingError(
                .duplicateKeyID,
                "CPIX, line \(key.line)",
                "the document contains the key ID \(key.keyID) more than once"
            )
        }
        var periodIDs: Set<String> = []
        for period in periods where !periodIDs.insert(period.id).inserted {
            throw SignalingError(
                .invalidCPIX,
                "CPIX, line \(period.line), ContentKeyPeriod",
                "an earlier period has the same id"
            )
        }
    }
}
