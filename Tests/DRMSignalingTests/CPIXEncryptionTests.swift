import DRMSignaling
import FPSCrypto
import ServerCrypto
import Testing

@Suite("Encrypted keys in CPIX")
struct CPIXEncryptionTests {
    private static let privateKey = Result { try RSAPrivateKey.generate(bits: 2_048) }
    private static let other = Result { try RSAPrivateKey.generate(bits: 2_048) }
    private let keys = [SecretBytes(copying: Array(0..<16)), SecretBytes(copying: Array(16..<32))]

    private func certificate(_ key: Result<RSAPrivateKey, any Error> = Self.privateKey) throws -> X509Certificate {
        try X509Certificate.selfSigned(subject: "Packager", key: try key.get(), days: 30)
    }

    /// A document with two keys and a key request, for recipients.
    private func document(_ recipients: [X509Certificate]) -> CPIXDocument {
        var document = CPIXDocument(contentID: "film")
        document.contentKeys = [
            .init(keyID: firstID, key: keys[0], explicitIV: Array(1...16), scheme: "cbcs"),
            .init(keyID: secondID, key: keys[1]),
            .init(keyID: ContentKeyID([UInt8](repeating: 7, count: 16))!, key: nil),
        ]
        document.deliveryData = recipients.map { .init(certificate: $0.der) }
        return document
    }

    private func encrypted(_ recipients: [X509Certificate]) throws -> CPIXDocument {
        var document = document(recipients)
        try document.encryptKeys(at: try #require(recipients.first).notBefore + 60)
        return document
    }

    @Test("Every recipient can decrypt the keys of the written document, and no other private key can")
    func roundTrip() throws {
        let all = [try certificate(), try certificate(Self.other)]
        let encrypted = try encrypted(all)
        let text = String(decoding: encrypted.xml, as: UTF8.self)
        #expect(!text.contains("PlainValue") && text.contains("ValueMAC"))
        #expect(encrypted.contentKeys.map(\.isEncrypted) == [true, true, false])
        for key in [Self.privateKey, Self.other] {
            var opened = try CPIXDocument(xml: encrypted.xml)
            try opened.decryptKeys(with: try key.get())
            #expect(opened.contentKeys.map(\.key) == [keys[0], keys[1], nil])
            #expect(opened.contentKeys[0].explicitIV == Array(1...16) && opened.contentKeys[0].scheme == "cbcs")
            #expect(opened.deliveryData.isEmpty)
        }
        var stranger = try CPIXDocument(xml: encrypted.xml)
        let key = try RSAPrivateKey.generate(bits: 2_048)
        let error = failure { () throws(SignalingError) in try stranger.decryptKeys(with: key) }
        #expect(error?.code == .cpixDecryptionFailed)
        #expect(stranger.contentKeys.map(\.isEncrypted) == [true, true, false])
    }

    @Test("The MAC key is also found at the position in SPEKE's documentation")
    func wrappedMACKey() throws {
        let encrypted = try encrypted([try certificate()])
        let text = String(decoding: encrypted.xml, as: UTF8.self)
            .replacing("<Key>", with: "<Key><pskc:EncryptedValue>")
            .replacing("</Key>", with: "</pskc:EncryptedValue><pskc:ValueMAC>AAAA</pskc:ValueMAC></Key>")
        #expect(text.contains("<Key><pskc:EncryptedValue>"))
        var opened = try CPIXDocument(xml: Array(text.utf8))
        #expect(opened.deliveryData == encrypted.deliveryData)
        try opened.decryptKeys(with: try Self.privateKey.get())
        #expect(opened.contentKeys.map(\.key) == [keys[0], keys[1], nil])
    }

    @Test("Two encryptions of the same keys differ completely")
    func fresh() throws {
        let recipient = try certificate()
        let (first, second) = (try encrypted([recipient]), try encrypted([recipient]))
        #expect(first.contentKeys[0].value != second.contentKeys[0].value)
        #expect(first.deliveryData[0].documentKey != second.deliveryData[0].documentKey)
        #expect(first.deliveryData[0].macKey != second.deliveryData[0].macKey)
    }

    @Test("A wrong or missing MAC is rejected, and so is every changed bit of the authenticated data")
    func macs() throws {
        let whole = try encrypted([try certificate()])
        let privateKey = try Self.privateKey.get()
        guard case .encrypted(let value, let mac?) = whole.contentKeys[1].value else {
            Issue.record("the key is not encrypted")
            return
        }
        #expect(mac.count == 64 && value.cipherValue.count == 48)
        func isRefused(_ change: CPIXDocument.ContentKey.Value) -> Bool {
            var changed = whole
            changed.contentKeys[1].value = change
            let error = failure { () throws(SignalingError) in try changed.decryptKeys(with: privateKey) }
            // If one MAC is wrong, no key is decrypted.
            return error?.code == .cpixDecryptionFailed && changed.contentKeys[0].isEncrypted
        }
        #expect(isRefused(.encrypted(value, mac: nil)))
        #expect(isRefused(.encrypted(value, mac: [])))
        for place in mac.indices {
            var wrong = mac
            wrong[place] ^= 1
            #expect(isRefused(.encrypted(value, mac: wrong)))
        }
        for place in value.cipherValue.indices {
            var wrong = value
            wrong.cipherValue[place] ^= 0x80
            #expect(isRefused(.encrypted(wrong, mac: mac)))
        }
        var method = value
        method.algorithm = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"
        #expect(isRefused(.encrypted(method, mac: mac)))
    }

    @Test("Without the MAC key, or with another algorithm, no key is decrypted")
    func deliveryData() throws {
        let whole = try encrypted([try certificate()])
        let privateKey = try Self.privateKey.get()
        func error(_ change: (inout CPIXDocument.DeliveryData) -> Void) -> SignalingError? {
            var changed = whole
            change(&changed.deliveryData[0])
            return failure { () throws(SignalingError) in try changed.decryptKeys(with: privateKey) }
        }
        #expect(error { $0.macKey = nil }?.code == .cpixDecryptionFailed)
        #expect(error { $0.documentKey = nil }?.code == .cpixDecryptionFailed)
        #expect(error { $0.documentKey = $0.macKey }?.code == .cpixDecryptionFailed)
        #expect(
            error { $0.documentKey?.algorithm = "http://www.w3.org/2001/04/xmlenc#rsa-1_5" }?.code
                == .cpixDecryptionFailed
        )
        #expect(error { $0.certificate = nil } == nil)
    }

    @Test("Certificates that are not valid, not RSA with 2048 bits, or missing are rejected")
    func recipients() throws {
        let good = try certificate()
        let short = try X509Certificate.selfSigned(
            subject: "Short",
            key: try RSAPrivateKey.generate(bits: 1_024),
            days: 30
        )
        func code(_ recipients: [[UInt8]], at time: Int64) -> SignalingError.Code? {
            var document = document([])
            document.deliveryData = recipients.map { .init(certificate: $0) }
            let error = failure { () throws(SignalingError) in try document.encryptKeys(at: time) }
            #expect(error == nil || document.contentKeys.allSatisfy { !$0.isEncrypted })
            return error?.code
        }
        #expect(code([good.der], at: good.notBefore) == nil)
        #expect(code([good.der], at: good.notAfter) == nil)
        #expect(code([good.der], at: good.notBefore - 1) == .invalidDeliveryKey)
        #expect(code([good.der], at: good.notAfter + 1) == .invalidDeliveryKey)
        #expect(code([short.der], at: short.notBefore + 1) == .invalidDeliveryKey)
        #expect(code([good.der, [1, 2, 3]], at: good.notBefore) == .invalidDeliveryKey)
        #expect(code([], at: 0) == .invalidDeliveryKey)
    }

    @Test("Encrypted keys are not encrypted again, and clear keys need no decryption")
    func twice() throws {
        var document = try encrypted([try certificate()])
        let time = try certificate().notBefore
        #expect(
            failure { () throws(SignalingError) in try document.encryptKeys(at: time) }?.code == .cpixEncryptionFailed
        )
        var clear = self.document([])
        let privateKey = try Self.privateKey.get()
        #expect(failure { () throws(SignalingError) in try clear.decryptKeys(with: privateKey) } == nil)
    }
}
