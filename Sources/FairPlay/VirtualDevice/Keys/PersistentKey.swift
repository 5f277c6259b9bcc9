internal import ByteCoding
internal import FPSCrypto

/// A persistent key. The app stores it as bytes that only this device can decrypt:
///
///     0-3    "KWPK"
///     4-7    format version
///     8-n    AES-256-GCM (nonce, ciphertext, tag) with a key of the device; bytes 0-7 are authenticated
///
/// The plaintext contains:
///
///     0-15   content key                              16 bytes
///     16-31  content IV                               16
///     32-47  record ID                                16
///     48-51  generation of the record                 4
///     52-71  certificate hash                         20
///     72-79  acquired, seconds since 1970             8
///     80-87  first played, likewise; -1 before that   8
///     88-95  HDCP level                               8
///     96-99  terms: 0 persistent, 1 or 2 for the version of an offline key
///     100-103, 104-107  validity and 0, or storage and playback duration
///     108-123, 124-139  stream ID, title ID; zeros if there is none
///     140-n  asset ID
struct PersistentKey: Sendable {
    var contentKey: SecretBytes
    var iv: [UInt8]
    /// The ID of the device's record for this key, 16 random bytes.
    var recordID: [UInt8]
    var generation: UInt32
    var certificateHash: [UInt8]
    var validity: KeyValidity
    var hdcp: ReceivedHDCPLevel
    var assetID: [UInt8]

    private static let magic = Array("KWPK".utf8)

    /// Returns the encrypted bytes of the key.
    ///
    /// - Throws: ``FPSError/invalidPersistentKey`` if the encryption key does not have 32 bytes.
    func seal(with key: SecretBytes, format: UInt32) throws(FPSError) -> [UInt8] {
        let rest = details
        let plain = SecretBytes(count: 16 + rest.count) { buffer in
            contentKey.withUnsafeBytes { buffer[0..<16].copyBytes(from: $0) }
            buffer[16...].copyBytes(from: rest)
        }
        let head = Self.magic + bigEndian(format)
        do {
            return head + (try AES256GCM.seal(plain, key: key, authenticating: head))
        } catch {
            throw .invalidPersistentKey.because("\(error)")
        }
    }

    /// Decrypts and parses a persistent key.
    ///
    /// - Throws: ``FPSError/invalidPersistentKey``, or ``FPSError/persistentKeyOutdated`` if the key is authentic and
    ///   its format is older than `format`.
    static func open(_ sealed: [UInt8], with key: SecretBytes, format: UInt32) throws(FPSError) -> PersistentKey {
        guard sealed.count > 8, Array(sealed[..<4]) == magic else { throw .invalidPersistentKey }
        let head = sealed[..<8]
        do {
            let plain = try AES256GCM.open(sealed[8...], key: key, authenticating: head)
            guard Array(head[4...]) == bigEndian(format) else { throw FPSError.persistentKeyOutdated }
            guard plain.count >= 140 else { throw FPSError.invalidPersistentKey }
            return try PersistentKey(contentKey: plain[0..<16], details: plain[16..<plain.count].reveal())
        } catch let error as FPSError {
            throw error
        } catch {
            throw .invalidPersistentKey.because("\(error)")
        }
    }

    private var details: [UInt8] {
        var writer = ByteWriter(capacity: 124 + assetID.count)
        writer.write(iv)
        writer.write(recordID)
        writer.write(generation)
        writer.write(certificateHash)
        writer.write(validity.acquired)
        writer.write(validity.firstPlayed ?? -1)
        writer.write(hdcp.rawValue)
        let key = validity.terms.offlineKey
        writer.write(key?.version ?? 0)
        if case .persistent(let duration) = validity.terms {
            writer.write(duration)
            writer.write(UInt32(0))
        } else {
            writer.write(key?.storageDuration ?? 0)
            writer.write(key?.playbackDuration ?? 0)
        }
        writer.write(key?.streamID ?? [UInt8](repeating: 0, count: 16))
        writer.write(key?.titleID ?? [UInt8](repeating: 0, count: 16))
        writer.write(assetID)
        return writer.bytes
    }

    private init(contentKey: SecretBytes, details: [UInt8]) throws {
        var reader = ByteReader(details.span.bytes, base: 16)
        self.contentKey = contentKey
        iv = try reader.readBytes(16, "content IV")
        recordID = try reader.readBytes(16, "record ID")
        generation = try reader.readUInt32("generation")
        certificateHash = try reader.readBytes(20, "certificate hash")
        let acquired = Int64(bitPattern: try reader.readUInt64("acquired"))
        let firstPlayed = Int64(bitPattern: try reader.readUInt64("first played"))
        guard let hdcp = ReceivedHDCPLevel(rawValue: try reader.readUInt64("HDCP level")) else {
            throw FPSError.invalidPersistentKey
        }
        self.hdcp = hdcp
        let version = try reader.readUInt32("terms")
        let (first, second) = (try reader.readUInt32("duration"), try reader.readUInt32("duration"))
        let streamID = try reader.readBytes(16, "stream ID")
        let titleID = try reader.readBytes(16, "title ID")
        assetID = try reader.readBytes(reader.remaining, "asset ID")
        let offlineKey = ReceivedOfflineKey(
            version: version,
            streamID: streamID,
            storage: first,
            playback: second,
            titleID: version == 2 ? titleID : nil
        )
        validity = KeyValidity(
            terms: version == 0 ? .persistent(validity: first) : .dualExpiry(offlineKey),
            acquired: acquired,
            firstPlayed: firstPlayed < 0 ? nil : firstPlayed
        )
    }

    init(
        contentKey: SecretBytes,
        iv: [UInt8],
        recordID: [UInt8],
        certificateHash: [UInt8],
        validity: KeyValidity,
        hdcp: ReceivedHDCPLevel,
        assetID: [UInt8]
    ) {
        (self.contentKey, self.iv, self.recordID, self.generation) = (contentKey, iv, recordID, 0)
        (self.certificateHash, self.validity) = (certificateHash, validity)
        (self.hdcp, self.assetID) = (hdcp, assetID)
    }
}
