import DRMSignaling
package import FPSCrypto
import HLSPlaylist

/// Keys derived from a secret, for tests: anyone with the secret can compute the keys of all periods.
///
///     block(what)  = HMAC-SHA-256(secret, "keyway key period" 00 what class 00 number)      number: 8 bytes
///     key, key ID, IV = the first 16 bytes of block("key "), block("kid "), block("iv  ")
package struct DerivedKeyPeriods: ContentKeyPeriods {
    private let secret: SecretBytes

    /// Creates a source of keys from a secret of at least 16 bytes.
    ///
    /// - Throws: ``JobFailure`` if the secret is shorter.
    package init(secret: SecretBytes) throws(JobFailure) {
        guard secret.count >= 16 else { throw JobFailure("derive-keys", "the secret must have at least 16 bytes") }
        self.secret = secret
    }

    package func period(_ request: KeyPeriodRequest) async throws -> ContentKeyPeriod {
        var keys = ContentKeys()
        for trackClass in request.trackClasses {
            let keyID = block("kid ", trackClass, request.number)
            guard let keyID = ContentKeyID(keyID.reveal()) else { continue }
            keys.classes[trackClass] = try PackagingKey(
                keyID: keyID,
                key: block("key ", trackClass, request.number),
                iv: block("iv  ", trackClass, request.number)
            )
        }
        return ContentKeyPeriod(number: request.number, keys: keys, start: request.start?.seconds)
    }

    private func block(_ what: String, _ trackClass: TrackClass, _ number: Int) -> SecretBytes {
        var message = Array("keyway key period".utf8) + [0] + Array(what.utf8) + Array(trackClass.rawValue.utf8) + [0]
        withUnsafeBytes(of: UInt64(clamping: number).bigEndian) { message.append(contentsOf: $0) }
        let derived = HMACSHA256.derive(message, key: secret)
        return SecretBytes(count: 16) { memory in derived.withUnsafeBytes { memory.copyBytes(from: $0.prefix(16)) } }
    }
}
