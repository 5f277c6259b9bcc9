import XMLDocuments

/// The names that CPIX defines: namespaces, algorithms, and the children of each element.
enum CPIXVocabulary {
    /// XML Signature.
    static let signatures = "http://www.w3.org/2000/09/xmldsig#"
    /// XML Encryption.
    static let encryption = "http://www.w3.org/2001/04/xmlenc#"

    /// AES-256 in CBC mode, for content keys encrypted with the document key.
    static let aes256CBC = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
    /// RSA-OAEP with MGF1 and SHA-1, for the document key and the MAC key encrypted with a recipient's public key.
    static let rsaOAEP = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"
    /// The hash algorithm of ``rsaOAEP``, if a document specifies one.
    static let sha1 = "http://www.w3.org/2000/09/xmldsig#sha1"
    /// HMAC with SHA-512, for the MAC of encrypted content keys.
    static let hmacSHA512 = "http://www.w3.org/2001/04/xmldsig-more#hmac-sha512"

    /// The child elements that CPIX defines, by parent. Elements that are not listed as parents are not inspected.
    private static let children: [String: Set<String>] = [
        "CPIX": [
            "DeliveryDataList", "ContentKeyList", "DRMSystemList", "ContentKeyPeriodList", "ContentKeyUsageRuleList",
            "UpdateHistoryItemList", "Signature",
        ],
        "DeliveryDataList": ["DeliveryData"],
        "DeliveryData": [
            "DeliveryKey", "DocumentKey", "MACMethod", "Description", "SendingEntity", "SenderPointOfContact",
            "ReceivingEntity",
        ],
        "ContentKeyList": ["ContentKey"],
        "ContentKey": ["HDCPData", "Data"],
        "HDCPData": ["HDCPOutputProtectionData"],
        "Data": ["Secret"],
        "DRMSystemList": ["DRMSystem"],
        "DRMSystem": [
            "PSSH", "ContentProtectionData", "URIExtXKey", "HLSSignalingData", "SmoothStreamingProtectionHeaderData",
            "HDSSignalingData",
        ],
        "ContentKeyPeriodList": ["ContentKeyPeriod"],
        "ContentKeyPeriod": [],
        "ContentKeyUsageRuleList": ["ContentKeyUsageRule"],
        "ContentKeyUsageRule": ["KeyPeriodFilter", "LabelFilter", "VideoFilter", "AudioFilter", "BitrateFilter"],
        "UpdateHistoryItemList": ["UpdateHistoryItem"],
    ]

    /// The attributes and child elements that the library uses, by element. All others are ``CPIXDocument/Extensions``.
    static let used: [String: (attributes: Set<String>, children: Set<String>)] = [
        "CPIX": (["contentId", "name", "version"], children["CPIX", default: []]),
        "DeliveryDataList": ([], ["DeliveryData"]),
        "DeliveryData": (["id", "name"], ["DeliveryKey", "DocumentKey", "MACMethod"]),
        "ContentKeyList": ([], ["ContentKey"]),
        "ContentKey": (
            ["contentId", "kid", "explicitIV", "commonEncryptionScheme", "dependsOnKey"],
            children["ContentKey", default: []]
        ),
        "HDCPData": (["HLSHDCPLevel"], children["HDCPData", default: []]),
        "DRMSystemList": ([], ["DRMSystem"]),
        "DRMSystem": (["kid", "systemId", "name", "HLSAllowedCPC"], children["DRMSystem", default: []]),
        "ContentProtectionData": (["robustness"], []),
        "HLSSignalingData": (["playlist"], []),
        "ContentKeyPeriodList": ([], ["ContentKeyPeriod"]),
        "ContentKeyPeriod": (["id", "index", "start", "end", "startOffset", "endOffset", "duration"], []),
        "ContentKeyUsageRuleList": ([], ["ContentKeyUsageRule"]),
        "ContentKeyUsageRule": (["kid", "intendedTrackType"], children["ContentKeyUsageRule", default: []]),
        "KeyPeriodFilter": (["periodId"], []),
        "LabelFilter": (["label"], []),
        "VideoFilter": (["minPixels", "maxPixels", "hdr", "wcg", "minFps", "maxFps"], []),
        "AudioFilter": (["minChannels", "maxChannels"], []),
        "BitrateFilter": (["minBitrate", "maxBitrate"], []),
        "UpdateHistoryItemList": ([], ["UpdateHistoryItem"]),
        "UpdateHistoryItem": (["updateVersion", "index", "source", "date"], []),
    ]

    /// The lists whose extensions are preserved.
    static let lists: Set = [
        "DeliveryDataList", "ContentKeyList", "DRMSystemList", "ContentKeyPeriodList", "ContentKeyUsageRuleList",
    ]

    /// The child elements of DRMSystem whose attributes are preserved.
    static let signaling: Set = [
        "PSSH", "ContentProtectionData", "URIExtXKey", "HLSSignalingData", "HDSSignalingData",
    ]

    /// Returns whether a child element has one of the names, in the namespace of its name.
    static func isUsed(_ child: XMLTree.Element, _ names: Set<String>) -> Bool {
        let namespaces = ["Signature": signatures, "Secret": CPIXDocument.keyNamespace]
        return names.contains(child.name) && child.namespace == namespaces[child.name] ?? CPIXDocument.namespace
    }

    /// Returns the elements that CPIX does not define at their position, up to the limit.
    static func undefinedElements(in root: XMLTree.Element) -> [CPIXDocument.PassedOver] {
        var found: [CPIXDocument.PassedOver] = []
        var waiting = [root]
        while let element = waiting.popLast(), found.count < CPIXDocument.Limit.passedOver {
            guard let known = children[element.name] else { continue }
            for child in element.children {
                if isUsed(child, known) {
                    waiting.append(child)
                } else if found.count < CPIXDocument.Limit.passedOver {
                    found.append(.init(line: child.line, parent: element.name))
                }
            }
        }
        return found.sorted { $0.line < $1.line }
    }
}
