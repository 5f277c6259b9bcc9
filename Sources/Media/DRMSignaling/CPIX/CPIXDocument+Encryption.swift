public import FPSCrypto

// CPIX 2.3, "Key Encryption in the CPIX Document":
//
//     document key   32 random bytes   RSA-OAEP to each recipient
//     MAC key        64 random bytes   likewise
//     content key    IV, 16 bytes, then AES-256-CBC under the document key of the key and its padding, 32 bytes
//     MAC            HMAC-SHA512 under the MAC key over those 48 bytes
//
// Padding is XML Encryption's: its last byte says how many there are, 1 to 16; the others are not looked at.

extension CPIXDocument {
    /// Encrypts all keys that are in the clear to the certificates in ``deliveryData``, under a new document key. What is
    /// written then is of use to their owners alone.
    ///
    /// - Parameter time: Unix seconds; a certificate must be valid then.
    /// - Throws: `invalid-delivery-key` when there is no certificate, one cannot be read, is not valid at that time, or has
    ///   another key than RSA with 2048 bits or more; `cpix-not-encrypted` when keys are encrypted already, or the
    ///   library fails.
    public mutating func encryptKeys(at time: Int64) throws(SignalingError) {
        let certificates = try recipients(at: time)
        var random = SecureRandom()
        let documentKey = SecretBytes(count: AES256CBC.keySize, randomFrom: &random)
        let macKey = SecretBytes(count: HMACSHA512.size, randomFrom: &random)
        do {
            for index in contentKeys.indices {
                guard let value = contentKeys[index].value else { continue }
                guard case .plain(let key) = value else {
                    throw SignalingError(.cpixNotEncrypted, "CPIX", "the keys are encrypted already")
                }
                let iv = random.bytes(16)
                let cipherValue = iv + (try AES256CBC.encryptPadded(key, key: documentKey, iv: iv))
                contentKeys[index].value = .encrypted(
                    EncryptedValue(algorithm: CPIXVocabulary.aes256CBC, cipherValue: cipherValue),
                    mac: HMACSHA512.authenticate(cipherValue, key: macKey)
                )
            }
            for (index, certificate) in certificates.enumerated() {
                let publicKey = try certificate.publicKey
                deliveryData[index].documentKey = EncryptedValue(
                    algorithm: CPIXVocabulary.rsaOAEP,
                    cipherValue: try publicKey.encryptOAEP(documentKey)
                )
                deliveryData[index].macKey = EncryptedValue(
                    algorithm: CPIXVocabulary.rsaOAEP,
                    cipherValue: try publicKey.encryptOAEP(macKey)
                )
            }
        } catch let error as SignalingError {
            throw error
        } catch {
            throw SignalingError(.cpixNotEncrypted, "CPIX", "the keys cannot be encrypted")
        }
    }

    /// Opens all keys that are encrypted. Each has a MAC, which is checked before anything is decrypted.
    ///
    /// - Parameter privateKey: A recipient's.
    /// - Throws: `cpix-not-opened`: the document is not for this key, a MAC is missing or wrong, or what comes out is no
    ///   key. Nothing has changed then.
    public mutating func decryptKeys(with privateKey: RSAPrivateKey) throws(SignalingError) {
        guard contentKeys.contains(where: \.isEncrypted) else { return }
        let (documentKey, macKey) = try documentKeys(with: privateKey)
        var opened = contentKeys
        for index in opened.indices {
            guard case .encrypted(let value, let mac) = opened[index].value else { continue }
            opened[index].value = .plain(
                try Self.open(value, mac, documentKey, macKey, "CPIX, line \(opened[index].line), ContentKey")
            )
        }
        contentKeys = opened
        deliveryData = []
    }

    /// Holds that keys can be encrypted to all certificates in ``deliveryData``.
    ///
    /// - Parameter time: Unix seconds; a certificate must be valid then.
    /// - Throws: `invalid-delivery-key`, as ``encryptKeys(at:)`` does.
    public func checkRecipients(at time: Int64) throws(SignalingError) { _ = try recipients(at: time) }

    /// The certificates of all recipients.
    private func recipients(at time: Int64) throws(SignalingError) -> [X509Certificate] {
        func refusal(_ reason: String) -> SignalingError {
            SignalingError(.invalidDeliveryKey, "CPIX, DeliveryKey", reason)
        }
        guard !deliveryData.isEmpty else { throw refusal("there is no recipient") }
        var certificates: [X509Certificate] = []
        for data in deliveryData {
            guard let der = data.certificate, let certificate = try? X509Certificate(der) else {
                throw refusal("X509Certificate is not base64 of a certificate")
            }
            guard let key = try? certificate.publicKey, key.bits >= 2_048 else {
                throw refusal("the certificate is not for RSA with 2048 bits or more")
            }
            guard (certificate.notBefore...max(certificate.notBefore, certificate.notAfter)).contains(time) else {
                throw refusal("the certificate is not valid at this time")
            }
            certificates.append(certificate)
        }
        return certificates
    }

    /// The document key and the MAC key that are encrypted to a private key.
    private func documentKeys(
        with privateKey: RSAPrivateKey
    ) throws(SignalingError) -> (documentKey: SecretBytes, macKey: SecretBytes) {
        let own = deliveryData.filter { data in
            // An entry without a certificate may be anybody's.
            guard let der = data.certificate else { return true }
            return (try? X509Certificate(der))?.matches(privateKey) ?? false
        }
        for data in own {
            guard let document = data.documentKey, let mac = data.macKey,
                document.algorithm == CPIXVocabulary.rsaOAEP, mac.algorithm == CPIXVocabulary.rsaOAEP,
                let documentKey = try? privateKey.decryptOAEP(document.cipherValue),
                let macKey = try? privateKey.decryptOAEP(mac.cipherValue),
                documentKey.count == AES256CBC.keySize, macKey.count >= 16
            else { continue }
            return (documentKey, macKey)
        }
        throw SignalingError(
            .cpixNotOpened,
            "CPIX, DeliveryData",
            "no DocumentKey with a MACMethod is encrypted to this private key by RSA-OAEP"
        )
    }

    private static func open(
        _ value: EncryptedValue,
        _ mac: [UInt8]?,
        _ documentKey: SecretBytes,
        _ macKey: SecretBytes,
        _ place: String
    ) throws(SignalingError) -> SecretBytes {
        guard value.algorithm == CPIXVocabulary.aes256CBC else {
            throw SignalingError(.cpixNotOpened, place, "its EncryptionMethod is not aes256-cbc, which alone is taken")
        }
        let expected = HMACSHA512.authenticate(value.cipherValue, key: macKey)
        guard let mac, SecretBytes.constantTimeEquals(mac, expected) else {
            throw SignalingError(.cpixNotOpened, place, mac == nil ? "it has no ValueMAC" : "its ValueMAC is wrong")
        }
        guard
            let key = try? AES256CBC.decryptPadded(
                value.cipherValue.dropFirst(16),
                key: documentKey,
                iv: value.cipherValue.prefix(16)
            ), key.count == 16
        else { throw SignalingError(.cpixNotOpened, place, "the decrypted value is not a key of 16 bytes") }
        return key
    }
}

extension CPIXDocument.ContentKey {
    /// Whether the key has to be decrypted first.
    public var isEncrypted: Bool {
        guard case .encrypted = value else { return false }
        return true
    }
}
