import FPSCrypto
import XMLDocuments

extension CPIXDocument {
    /// The document as XML in UTF-8, with its keys in the clear.
    public var xml: [UInt8] {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<CPIX xmlns=\"\(Self.namespace)\" "
        text += "xmlns:pskc=\"\(Self.keyNamespace)\""
        text += attribute("contentId", contentID) + attribute("version", Self.version) + ">\n"
        text += list("ContentKeyList", contentKeys.map(element))
        text += list("DRMSystemList", systems.map(element))
        text += list("ContentKeyPeriodList", periods.map(element))
        text += list("ContentKeyUsageRuleList", usageRules.map(element))
        return Array((text + "</CPIX>\n").utf8)
    }

    private func list(_ name: String, _ elements: [String]) -> String {
        elements.isEmpty ? "" : "  <\(name)>\n\(elements.joined())  </\(name)>\n"
    }

    private func element(_ key: ContentKey) -> String {
        let head =
            "    <ContentKey" + attribute("kid", key.keyID.uuid)
            + attribute("explicitIV", key.explicitIV.map { Base64.text($0) })
            + attribute("commonEncryptionScheme", key.scheme)
        guard let secret = key.key else { return head + "/>\n" }
        return head + "><Data><pskc:Secret><pskc:PlainValue>\(Base64.text(secret.reveal()))"
            + "</pskc:PlainValue></pskc:Secret></Data></ContentKey>\n"
    }

    private func element(_ system: DRMSystem) -> String {
        let head = "    <DRMSystem" + attribute("kid", system.keyID.uuid) + attribute("systemId", "\(system.systemID)")
        guard let uri = system.keyURI else { return head + "/>\n" }
        return head + "><URIExtXKey>\(Base64.text(Array(uri.utf8)))</URIExtXKey></DRMSystem>\n"
    }

    private func element(_ period: KeyPeriod) -> String {
        "    <ContentKeyPeriod" + attribute("id", period.id) + attribute("index", period.index.map { "\($0)" })
            + attribute("start", period.start.map { UnixTime.iso8601($0) })
            + attribute("end", period.end.map { UnixTime.iso8601($0) }) + "/>\n"
    }

    private func element(_ rule: UsageRule) -> String {
        let head =
            "    <ContentKeyUsageRule" + attribute("kid", rule.keyID.uuid)
            + attribute("intendedTrackType", rule.intendedTrackType)
        let filters =
            rule.periodIDs.map { "<KeyPeriodFilter" + attribute("periodId", $0) + "/>" }
            + (rule.hasVideoFilter ? ["<VideoFilter/>"] : []) + (rule.hasAudioFilter ? ["<AudioFilter/>"] : [])
        return filters.isEmpty ? head + "/>\n" : head + ">\(filters.joined())</ContentKeyUsageRule>\n"
    }

    private func attribute(_ name: String, _ value: String?) -> String {
        value.map { " \(name)=\"\(XMLText.escaped($0))\"" } ?? ""
    }
}
