internal import ByteCoding
internal import FPSCrypto

/// The encoded state of a device:
///
///     0-3    "KWVD"
///     4-7    version, 2
///     8-39   the secret of the device                32 bytes, secret
///     40-43  format of its persistent keys            4
///     44-51  the latest time of its clock             8
///     52-55  number of corrections of the clock       4
///     56-63  time of the last correction; 0 if none   8
///     64-67  number of records                        4
///
/// For each persistent key, in the order of the record IDs:
///
///     0-15   record ID                               16 bytes
///     16-19  generation                               4
///     20-39  certificate hash                        20
///     40-43  0, or the version of its offline key     4
///     44-47, 48-51  storage and playback duration     4 each
///     52-67, 68-83  stream ID, title ID; zeros if there is none
///     84-91  the latest time that the times in the key can have; 2^63 - 1 without a correction of the clock
struct DeviceImage {
    let secret: SecretBytes
    let format: UInt32
    let latest: Int64
    let corrections: ClockCorrections
    let vault: KeyVault

    private static let magic = Array("KWVD".utf8)
    private static let headSize = 68
    private static let recordSize = 92

    init(secret: SecretBytes, format: UInt32, latest: Int64, corrections: ClockCorrections, vault: KeyVault) {
        (self.secret, self.format, self.latest) = (secret, format, latest)
        (self.corrections, self.vault) = (corrections, vault)
    }

    /// The encoded bytes, which are a secret.
    var bytes: SecretBytes {
        var head = ByteWriter(capacity: 8)
        head.write(Self.magic)
        head.write(UInt32(2))
        var rest = ByteWriter(capacity: 28 + vault.records.count * Self.recordSize)
        rest.write(format)
        rest.write(latest)
        rest.write(corrections.count)
        rest.write(corrections.latest)
        rest.write(UInt32(clamping: vault.records.count))
        for (id, record) in vault.records.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            rest.write(id)
            rest.write(record.generation)
            rest.write(record.certificateHash)
            let key = record.offlineKey
            rest.write(key?.version ?? 0)
            rest.write(key?.storageDuration ?? 0)
            rest.write(key?.playbackDuration ?? 0)
            rest.write(key?.streamID ?? [UInt8](repeating: 0, count: 16))
            rest.write(key?.titleID ?? [UInt8](repeating: 0, count: 16))
            rest.write(record.ceiling)
        }
        return SecretBytes(count: 40 + rest.count) { buffer in
            buffer[..<8].copyBytes(from: head.bytes)
            secret.withUnsafeBytes { buffer[8..<40].copyBytes(from: $0) }
            buffer[40...].copyBytes(from: rest.bytes)
        }
    }

    /// Parses the bytes.
    init(_ bytes: SecretBytes) throws {
        guard bytes.count >= Self.headSize else {
            throw ParseError(.truncated, reading: "device memory", offset: bytes.count)
        }
        let head = bytes[0..<8].reveal()
        guard Array(head[..<4]) == Self.magic, Array(head[4...]) == [0, 0, 0, 2] else {
            throw ParseError(.invalidValue, reading: "device memory", offset: 0, reason: "the version must be 2")
        }
        secret = bytes[8..<40]
        let rest = bytes[40..<bytes.count].reveal()
        var reader = ByteReader(rest.span.bytes, base: 40)
        format = try reader.readUInt32("format")
        latest = Int64(bitPattern: try reader.readUInt64("latest time"))
        corrections = ClockCorrections(
            count: try reader.readUInt32("number of corrections"),
            latest: Int64(bitPattern: try reader.readUInt64("time of the last correction"))
        )
        let count = Int(try reader.readUInt32("number of records"))
        guard reader.remaining == count * Self.recordSize else {
            throw ParseError(.invalidValue, reading: "number of records", offset: 64)
        }
        var vault = KeyVault()
        for _ in 0..<count {
            let id = try reader.readBytes(16, "record ID")
            let generation = try reader.readUInt32("generation")
            let hash = try reader.readBytes(20, "certificate hash")
            let version = try reader.readUInt32("version of the offline key")
            let (storage, playback) = (try reader.readUInt32("storage"), try reader.readUInt32("playback"))
            let (streamID, titleID) = (try reader.readBytes(16, "stream ID"), try reader.readBytes(16, "title ID"))
            let key = ReceivedOfflineKey(
                version: version,
                streamID: streamID,
                storage: storage,
                playback: playback,
                titleID: version == 2 ? titleID : nil
            )
            vault.records[id] = .init(
                generation: generation,
                certificateHash: hash,
                offlineKey: version == 0 ? nil : key,
                ceiling: Int64(bitPattern: try reader.readUInt64("latest time of the key"))
            )
        }
        self.vault = vault
    }
}
