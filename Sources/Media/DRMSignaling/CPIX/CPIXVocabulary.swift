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
        "ContentKey": ["Data"],
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

    /// Returns the elements that CPIX does not define at their position, up to the limit.
    static func undefinedElements(in root: XMLTree.Element) -> [CPIXDocument.PassedOver] {
        var found: [CPIXDocument.PassedOver] = []
        var waiting = [root]
        while let element = waiting.popLast(), found.count < CPIXDocument.Limit.passedOver {
            guard let known = children[element.name] else { continue }
            for child in element.children {
                if known.contains(child.name) {
                    waiting.append(child)
                } else if found.count < CPIXDocument.Limit.passedOver {
                    found.append(.init(line: child.line, parent: element.name))
                }
            }
        }
        return found.sorted { $0.line < $1.line }
    }
}
