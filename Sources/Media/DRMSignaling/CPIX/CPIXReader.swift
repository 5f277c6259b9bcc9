import XMLDocuments

extension CPIXDocument {
    /// Parses a document. Elements and attributes that are not used are preserved; elements that CPIX does not define are
    /// also listed in ``passedOver``.
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
        version = declaredVersion.flatMap(Version.init(rawValue:)) ?? .v2_3
        extensionNamespaces = try ExtensionNamespaces(in: root)
        extensions = Extensions(root, extensionNamespaces)
        let lists = Lists(root: root, namespaces: extensionNamespaces)
        deliveryData = try lists.entries("DeliveryDataList", "DeliveryData", Limit.deliveryData, DeliveryData.init)
        contentKeys = try lists.entries("ContentKeyList", "ContentKey", Limit.keys, ContentKey.init)
        systems = try lists.entries("DRMSystemList", "DRMSystem", Limit.systems, DRMSystem.init)
        periods = try lists.entries("ContentKeyPeriodList", "ContentKeyPeriod", Limit.keys, KeyPeriod.init)
        usageRules = try lists.entries(
            "ContentKeyUsageRuleList",
            "ContentKeyUsageRule",
            Limit.systems,
            UsageRule.init
        )
        history = try lists.entries(
            "UpdateHistoryItemList",
            "UpdateHistoryItem",
            Limit.keys,
            UpdateHistoryItem.init
        )
        listExtensions = lists.extensions
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

    /// The lists of a document.
    private struct Lists {
        let root: XMLTree.Element
        let namespaces: ExtensionNamespaces

        func entries<Entry>(
            _ list: String,
            _ name: String,
            _ limit: Int,
            _ read: (XMLTree.Element, ExtensionNamespaces) throws(SignalingError) -> Entry
        ) throws(SignalingError) -> [Entry] {
            var entries: [Entry] = []
            for list in root.cpixChildren(list) {
                for element in list.cpixChildren(name) {
                    guard entries.count < limit else {
                        throw element.cpixError("there are more than \(limit) \(name) elements")
                    }
                    entries.append(try read(element, namespaces))
                }
            }
            return entries
        }

        /// The unused attributes and elements of the lists, except the update history, which is replaced as a whole.
        var extensions: [String: Extensions] {
            var extensions: [String: Extensions] = [:]
            for list in root.children where CPIXVocabulary.isUsed(list, CPIXVocabulary.lists) {
                let found = Extensions(list, namespaces)
                if !found.isEmpty { extensions[list.name, default: .init()].add(found) }
            }
            return extensions
        }
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
