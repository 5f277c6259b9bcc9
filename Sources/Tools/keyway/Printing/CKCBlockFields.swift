import FPSCrypto
import FPSMessages
import KeyServerModule

extension BlockTables {
    /// The content types of CKC payloads (Table 2-11).
    static let ckcContents: [any DescribedContent.Type] = [
        EncryptedContentKey.self, R1.self, ContentKeyDuration.self, RequiredSecurityLevel.self, OfflineKey.self,
        HDCPEnforcement.self,
    ]
}

extension EncryptedContentKey: DescribedContent {
    var fields: [Field] { [Field("IV", .bytes(iv)), Field("encrypted content key", .bytes(encryptedKey))] }
}

extension R1: DescribedContent {
    var fields: [Field] { [Field("R1", .secret(SecretBytes(copying: bytes)))] }
}

extension ContentKeyDuration: DescribedContent {
    var fields: [Field] {
        // Zero means no limit, but only if the key type uses the field.
        func value(_ seconds: UInt32, countsFor types: Set<KeyType>) -> FieldValue {
            .seconds(seconds, meaning: types.contains(keyType) ? duration(seconds) : "not used")
        }
        return [
            Field("lease", value(lease, countsFor: [.lease, .leaseAndRental])),
            Field("rental", value(rental, countsFor: [.rental, .leaseAndRental, .persistLimited])),
            Field("key type", .named(keyType)),
            Field("reserved", .word(Self.reservedWord)),
        ]
    }
}

extension RequiredSecurityLevel: DescribedContent {
    var fields: [Field] {
        [Field("version", .number(1)), Field("reserved", .number(reserved)), Field("security level", .named(level))]
    }
}

extension OfflineKey: DescribedContent {
    var fields: [Field] {
        let title = titleID.map { [Field("title ID", .bytes($0))] } ?? []
        return [
            Field("version", .number(version)),
            Field("reserved", .number(reserved)),
            Field(version == 1 ? "content ID" : "stream ID", .bytes(streamID)),
            Field("storage", .seconds(storage, meaning: duration(storage))),
            Field("playback", .seconds(playback, meaning: duration(playback))),
        ] + title
    }
}

extension HDCPEnforcement: DescribedContent {
    var fields: [Field] {
        [Field("HDCP", .named(level))] + (filler.isEmpty ? [] : [Field("random bytes", .bytes(filler))])
    }
}

/// Returns the duration of a TLLV in ISO 8601; zero means no limit.
func duration(_ seconds: UInt32) -> String {
    seconds == 0 ? "no limit" : Seconds(rawValue: seconds).description
}
