import XMLDocuments

extension CPIXDocument {
    /// The document as UTF-8 encoded XML in its ``version``. Its keys are written as they are, clear or encrypted.
    public var xml: [UInt8] {
        var writer = XMLWriter()
        func isUsed(_ prefix: String) -> Bool { !deliveryData.isEmpty || extensionNamespaces.known.contains(prefix) }
        var attributes = [
            ("xmlns", Self.namespace), ("xmlns:pskc", Self.keyNamespace),
            ("xmlns:enc", isUsed("enc") ? CPIXVocabulary.encryption : nil),
            ("xmlns:ds", isUsed("ds") ? CPIXVocabulary.signatures : nil),
        ]
        attributes += extensionNamespaces.declarations.map { ("xmlns:\($0.prefix)", $0.namespace) }
        attributes += [("contentId", contentID), ("name", name), ("version", version.rawValue)]
        writer.element("CPIX", attributes, extensions) { writer in
            list("DeliveryDataList", deliveryData, &writer) { $0.write(to: &$1) }
            list("ContentKeyList", contentKeys, &writer) { $0.write(to: &$1) }
            list("DRMSystemList", systems, &writer) { $0.write(to: &$1) }
            list("ContentKeyPeriodList", periods, &writer) { $0.write(to: &$1) }
            list("ContentKeyUsageRuleList", usageRules, &writer) { $0.write(to: &$1) }
            list("UpdateHistoryItemList", history, &writer) { $0.write(to: &$1) }
        }
        return writer.bytes
    }

    private func list<Entry>(
        _ name: String,
        _ entries: [Entry],
        _ writer: inout XMLWriter,
        _ write: (Entry, inout XMLWriter) -> Void
    ) {
        let extensions = listExtensions[name] ?? Extensions()
        guard !entries.isEmpty || !extensions.isEmpty else { return }
        writer.element(name, [], extensions) { writer in
            for entry in entries { write(entry, &writer) }
        }
    }
}

extension XMLWriter {
    /// Writes an element with unused attributes after the others, and unused elements after its child elements.
    mutating func element(
        _ name: String,
        _ attributes: [(String, String?)],
        _ extensions: CPIXDocument.Extensions,
        _ content: (inout XMLWriter) -> Void = { _ in }
    ) {
        let unused = extensions.attributes.map { (name: $0.name, value: $0.value) }
        element(name, attributes, preserving: unused) { writer in
            content(&writer)
            extensions.write(to: &writer)
        }
    }
}
