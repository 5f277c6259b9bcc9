public import FPSCrypto
import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// A content key, clear or encrypted, or a request for one.
    ///
    ///     ContentKey @contentId @kid @explicitIV @commonEncryptionScheme @dependsOnKey
    ///       HDCPData @HLSHDCPLevel    CPIX 2.4
    ///         HDCPOutputProtectionData
    ///       Data / pskc:Secret
    ///         pskc:PlainValue         base64 of 16 bytes
    ///         pskc:EncryptedValue     EncryptedValue: AES-256-CBC, 48 bytes
    ///         pskc:ValueMAC           base64 of 64 bytes: HMAC-SHA512 over the encrypted value's bytes
    ///
    /// Secret contains either PlainValue or EncryptedValue; a ContentKey without Data is a request.
    public struct ContentKey: Sendable {
        /// The AES-128 key of 16 bytes in a document.
        public enum Value: Sendable, Equatable {
            /// A clear key.
            case plain(SecretBytes)
            /// A key encrypted with the document key, and its MAC if there is one.
            case encrypted(EncryptedValue, mac: [UInt8]?)
        }

        /// The content ID of the key, in a document with keys of several contents (CPIX 2.4); nil for that of the
        /// document.
        public var contentID: String?
        /// The key ID.
        public var keyID: ContentKeyID
        /// The key; nil in a request.
        public var value: Value?
        /// The initialization vector of 16 bytes that applies to all samples, if any.
        public var explicitIV: [UInt8]?
        /// The encryption scheme: `cbcs`, `cenc`, `cbc1` or `cens`; in CPIX 2.4 also a METHOD of HLS.
        public var scheme: String?
        /// The key from which this one is derived, in key hierarchies, if any.
        public var dependsOn: ContentKeyID?
        /// The required protection of outputs, if any.
        public var hdcp: HDCPData?
        /// The unused attributes and elements.
        public var extensions = Extensions()
        /// The line of the end of the start tag, for messages; 0 if the document was not parsed.
        public var line = 0

        /// The key if it is clear; nil if it is encrypted or missing.
        public var key: SecretBytes? {
            guard case .plain(let key) = value else { return nil }
            return key
        }

        /// Creates a clear key, or a request for a key.
        public init(keyID: ContentKeyID, key: SecretBytes?, explicitIV: [UInt8]? = nil, scheme: String? = nil) {
            self.keyID = keyID
            value = key.map { .plain($0) }
            self.explicitIV = explicitIV
            self.scheme = scheme
        }

        init(_ element: XMLTree.Element, _ namespaces: ExtensionNamespaces) throws(SignalingError) {
            contentID = try element.cpixText("contentId")
            keyID = try element.cpixKeyID()
            explicitIV = try element.cpixBlock("explicitIV")
            scheme = try element.cpixText("commonEncryptionScheme")
            dependsOn = try element.cpixKeyID(orNilIn: "dependsOnKey")
            line = element.line
            hdcp = try element.cpixChild("HDCPData").map { data throws(SignalingError) in
                try HDCPData(data, namespaces)
            }
            extensions = Extensions(element, namespaces)
            guard let data = element.cpixChild("Data") else { return }
            guard let secret = data.cpixChild("Secret", in: keyNamespace) else {
                throw data.cpixError("Secret in the namespace \(keyNamespace) is missing")
            }
            value = try Self.value(secret)
        }

        private static func value(_ secret: XMLTree.Element) throws(SignalingError) -> Value {
            let plain = secret.cpixChild("PlainValue", in: keyNamespace)
            let encrypted = secret.cpixChild("EncryptedValue", in: keyNamespace)
            switch (plain, encrypted) {
            case (let plain?, nil):
                let bytes = try plain.cpixData()
                guard bytes.count == 16 else { throw plain.cpixError("the value is not base64 of 16 bytes") }
                return .plain(SecretBytes(copying: bytes))
            case (nil, let encrypted?):
                let mac = try secret.cpixChild("ValueMAC", in: keyNamespace).map { element throws(SignalingError) in
                    try element.cpixData()
                }
                return .encrypted(try EncryptedValue(encrypted), mac: mac)
            default:
                throw secret.cpixError("expected either PlainValue or EncryptedValue in the namespace \(keyNamespace)")
            }
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [
                ("contentId", contentID), ("kid", keyID.uuid), ("explicitIV", explicitIV.map { Base64.encode($0) }),
                ("commonEncryptionScheme", scheme), ("dependsOnKey", dependsOn?.uuid),
            ]
            writer.element("ContentKey", attributes, extensions) { writer in
                hdcp?.write(to: &writer)
                guard let value else { return }
                writer.element("Data") { writer in
                    writer.element("pskc:Secret") { writer in
                        switch value {
                        case .plain(let key):
                            writer.element("pskc:PlainValue", text: Base64.encode(key.reveal()))
                        case .encrypted(let encrypted, let mac):
                            encrypted.write(as: "pskc:EncryptedValue", to: &writer)
                            if let mac { writer.element("pskc:ValueMAC", text: Base64.encode(mac)) }
                        }
                    }
                }
            }
        }
    }
}
