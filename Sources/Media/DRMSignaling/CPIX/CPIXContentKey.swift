public import FPSCrypto
import TextCoding
import XMLDocuments

extension CPIXDocument {
    /// A key, in the clear or encrypted, or the question for one.
    ///
    ///     ContentKey @kid @explicitIV @commonEncryptionScheme @dependsOnKey
    ///       Data / pskc:Secret
    ///         pskc:PlainValue         base64 of 16 bytes
    ///         pskc:EncryptedValue     EncryptedValue: AES-256-CBC, 48 bytes
    ///         pskc:ValueMAC           base64 of 64 bytes: HMAC-SHA512 over the encrypted value's bytes
    ///
    /// PlainValue and EncryptedValue exclude each other; without Data it is a question.
    public struct ContentKey: Sendable {
        /// The 16 bytes of AES-128, as the document has them.
        public enum Value: Sendable, Equatable {
            /// In the clear.
            case plain(SecretBytes)
            /// Under the document key, with the MAC where there is one.
            case encrypted(EncryptedValue, mac: [UInt8]?)
        }

        /// Which one it is.
        public var keyID: ContentKeyID
        /// The key; nil in a document that asks for keys.
        public var value: Value?
        /// The initialization vector, 16 bytes, where there is one for all samples.
        public var explicitIV: [UInt8]?
        /// `cbcs`, `cenc`, `cbc1` or `cens`.
        public var scheme: String?
        /// The key from which this one is derived, where keys come in levels.
        public var dependsOn: ContentKeyID?
        /// The line in which its start tag ends, for messages; 0 in a document that was not read.
        public var line = 0

        /// The key where it is in the clear.
        public var key: SecretBytes? {
            guard case .plain(let key) = value else { return nil }
            return key
        }

        /// Makes a key in the clear, or the question for one.
        public init(keyID: ContentKeyID, key: SecretBytes?, explicitIV: [UInt8]? = nil, scheme: String? = nil) {
            self.keyID = keyID
            value = key.map { .plain($0) }
            self.explicitIV = explicitIV
            self.scheme = scheme
        }

        init(_ element: XMLTree.Element) throws(SignalingError) {
            keyID = try element.cpixKeyID()
            explicitIV = try element.cpixBlock("explicitIV")
            scheme = try element.cpixText("commonEncryptionScheme")
            dependsOn = try element.cpixKeyID(orNilIn: "dependsOnKey")
            line = element.line
            guard let data = element.cpixChild("Data") else { return }
            guard let secret = data.cpixChild("Secret", in: keyNamespace) else {
                throw data.cpixError("it has no Secret of the namespace \(keyNamespace)")
            }
            value = try Self.value(secret)
        }

        private static func value(_ secret: XMLTree.Element) throws(SignalingError) -> Value {
            let plain = secret.cpixChild("PlainValue", in: keyNamespace)
            let encrypted = secret.cpixChild("EncryptedValue", in: keyNamespace)
            switch (plain, encrypted) {
            case (let plain?, nil):
                let bytes = try plain.cpixData()
                guard bytes.count == 16 else { throw plain.cpixError("it is not base64 of 16 bytes") }
                return .plain(SecretBytes(copying: bytes))
            case (nil, let encrypted?):
                let mac = try secret.cpixChild("ValueMAC", in: keyNamespace).map { element throws(SignalingError) in
                    try element.cpixData()
                }
                return .encrypted(try EncryptedValue(encrypted), mac: mac)
            default:
                throw secret.cpixError("it has one of PlainValue and EncryptedValue of the namespace \(keyNamespace)")
            }
        }

        func write(to writer: inout XMLWriter) {
            let attributes = [
                ("kid", keyID.uuid), ("explicitIV", explicitIV.map { Base64.encode($0) }),
                ("commonEncryptionScheme", scheme), ("dependsOnKey", dependsOn?.uuid),
            ]
            writer.element("ContentKey", attributes) { writer in
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
