import XMLDocuments

extension CPIXDocument {
    /// The document as UTF-8 encoded XML, version 2.3. Its keys are written as they are, clear or encrypted.
    public var xml: [UInt8] {
        var writer = XMLWriter()
        let attributes = [
            ("xmlns", Self.namespace), ("xmlns:pskc", Self.keyNamespace),
            ("xmlns:enc", deliveryData.isEmpty ? nil : CPIXVocabulary.encryption),
            ("xmlns:ds", deliveryData.isEmpty ? nil : CPIXVocabulary.signatures), ("contentId", contentID),
            ("name", name), ("version", Self.version),
        ]
        writer.element("CPIX", attributes) { writer in
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
        guard !entries.isEmpty else { return }
        writer.element(name) { writer in
            for entry in entries { write(entry, &writer) }
        }
    }
}
