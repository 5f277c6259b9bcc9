import ByteCoding
import ContentKeySession
import FPSCrypto

/// The binary format of a title's keys, before encryption. A text or key follows its length of 4 bytes; a missing time
/// or duration is -2^63.
///
///     0-3   version of this layout, 2
///     -     title
///     1     priority: 0 default, 1 important
///     8     expiration date
///     8     last played
///     -     origin of the key server; empty if unknown
///     4     number of keys
///
/// and for each key, in the order of the identifiers
///
///     -     identifier
///     1     kind: 1 FairPlay, 2 clear
///     -     key; none once it was invalidated
///     1     terms: 0 unknown, 1 limited, 2 dual
///     8, 8  storage, playback
///     8     issued
///     8     first played
///     4     number of renewals
///     8     renewed
///     -     the reason of the refused renewal; empty for none
///     8     reported
///     8     the time at which the device rejected it
///     -     the error code of the device; empty for none
///     8     revoked
///     8     latest known time
///     4     number of protocol versions
///     4     each protocol version
extension OfflineTitle {
    private static let version: UInt32 = 2
    private static let nothing = Int64.min
    /// The maximum number of keys, larger than for any title.
    private static let maximumKeys = 10_000
    /// The maximum number of protocol versions of a key.
    private static let maximumVersions = 64

    /// The encoded title. It is a secret, because it contains clear keys unencrypted.
    var bytes: SecretBytes {
        var writer = ByteWriter()
        writer.write(Self.version)
        writer.write(text: title)
        writer.write(policy.priority == .important ? 1 : 0 as UInt8)
        writer.write(policy.expirationDate ?? Self.nothing)
        writer.write(lastPlayed ?? Self.nothing)
        writer.write(text: server ?? "")
        writer.write(UInt32(clamping: keys.count))
        for (identifier, key) in keys.sorted(by: { $0.key < $1.key }) {
            writer.write(text: identifier)
            writer.write(key.kind.rawValue)
            writer.write(UInt32(clamping: key.bytes?.bytes.count ?? 0))
            writer.write(key.bytes?.bytes ?? [])
            Self.write(key.entry, to: &writer)
        }
        var bytes = writer.bytes
        defer { bytes.withUnsafeMutableBytes { SecretBytes.wipe($0) } }
        return SecretBytes(copying: bytes)
    }

    private static func write(_ entry: KeyHistoryEntry, to writer: inout ByteWriter) {
        let (kind, storage, playback): (UInt8, Int64?, Int64?) =
            switch entry.terms {
            case .unknown: (0, nil, nil)
            case .limited(let duration): (1, duration, nil)
            case .dual(let storage, let playback): (2, storage, playback)
            }
        writer.write(kind)
        for number in [storage, playback, entry.issued, entry.firstPlayed] { writer.write(number ?? nothing) }
        writer.write(entry.renewals)
        writer.write(entry.renewed ?? nothing)
        writer.write(text: entry.renewalRefusal?.description ?? "")
        writer.write(entry.reported ?? nothing)
        writer.write(entry.refusal?.moment ?? nothing)
        writer.write(text: entry.refusal?.code.rawValue ?? "")
        writer.write(entry.revoked ?? nothing)
        writer.write(entry.latest)
        let versions = entry.protocolVersions.prefix(maximumVersions)
        writer.write(UInt32(clamping: versions.count))
        for version in versions { writer.write(version) }
    }

    /// Parses the encoded title.
    init(_ secret: SecretBytes) throws(ParseError) {
        var bytes = secret.reveal()
        defer { bytes.withUnsafeMutableBytes { SecretBytes.wipe($0) } }
        self = try Self(reading: bytes)
    }

    private init(reading bytes: [UInt8]) throws(ParseError) {
        var reader = ByteReader(bytes.span.bytes)
        guard try reader.readUInt32("version") == Self.version else {
            throw ParseError(.invalidValue, reading: "version of a title's keys", offset: 0)
        }
        self.init(title: try reader.readText("title"))
        policy.priority = try reader.readUInt8("priority") == 1 ? .important : .default
        policy.expirationDate = try reader.readMoment("expiration date")
        lastPlayed = try reader.readMoment("last played")
        let origin = try reader.readText("origin of the key server")
        server = origin.isEmpty ? nil : origin
        let count = try reader.readUInt32("number of keys")
        guard count <= Self.maximumKeys else {
            throw ParseError(.invalidValue, reading: "number of keys", offset: reader.offset)
        }
        for _ in 0..<count {
            let identifier = try reader.readText("identifier")
            guard let kind = OfflineKeyRecord.Kind(rawValue: try reader.readUInt8("kind")) else {
                throw ParseError(.invalidValue, reading: "kind of a key", offset: reader.offset)
            }
            let key = try reader.readBytes(Int(try reader.readUInt32("size of a key")), "key")
            keys[identifier] = OfflineKeyRecord(
                kind: kind,
                bytes: key.isEmpty ? nil : RedactedBytes(key),
                entry: try Self.readEntry(&reader)
            )
        }
        try reader.finish("a title's keys")
    }

    private static func readEntry(_ reader: inout ByteReader) throws(ParseError) -> KeyHistoryEntry {
        let kind = try reader.readUInt8("terms")
        let (storage, playback) = (try reader.readMoment("storage"), try reader.readMoment("playback"))
        let terms: KeyHistoryEntry.Terms
        switch kind {
        case 0: terms = .unknown
        case 1: terms = .limited(storage)
        case 2: terms = .dual(storage: storage, playback: playback)
        default: throw ParseError(.invalidValue, reading: "terms of a key", offset: reader.offset)
        }
        var entry = KeyHistoryEntry(terms: terms, issued: try reader.readMoment("issued") ?? 0)
        entry.firstPlayed = try reader.readMoment("first played")
        entry.renewals = try reader.readUInt32("number of renewals")
        entry.renewed = try reader.readMoment("renewed")
        entry.renewalRefusal = LogSafeWord(try reader.readText("reason of a refused renewal"))
        entry.reported = try reader.readMoment("reported")
        let moment = try reader.readMoment("refused")
        let code = try reader.readText("error code of the device")
        entry.refusal = moment.map { .init(code: .init(rawValue: code), moment: $0) }
        entry.revoked = try reader.readMoment("revoked")
        entry.latest = try reader.readMoment("latest known time") ?? entry.issued
        let count = try reader.readUInt32("number of protocol versions")
        guard count <= maximumVersions else {
            throw ParseError(.invalidValue, reading: "number of protocol versions", offset: reader.offset)
        }
        entry.protocolVersions = []
        for _ in 0..<count { entry.protocolVersions.append(try reader.readUInt32("protocol version")) }
        return entry
    }
}

extension ByteWriter {
    fileprivate mutating func write(text: String) {
        write(UInt32(clamping: text.utf8.count))
        write(text.utf8)
    }
}

extension ByteReader {
    fileprivate mutating func readText(_ field: String) throws(ParseError) -> String {
        let bytes = try readBytes(Int(try readUInt32(field)), field)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ParseError(.invalidValue, reading: field, offset: offset, reason: "not UTF-8")
        }
        return text
    }

    fileprivate mutating func readMoment(_ field: String) throws(ParseError) -> Int64? {
        let number = Int64(bitPattern: try readUInt64(field))
        return number == .min ? nil : number
    }
}
