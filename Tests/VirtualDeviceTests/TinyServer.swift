import ByteCoding
import FPSCrypto
import Foundation
import VectorFiles
import VirtualDevice

/// A minimal key server, implemented from the guide, which decrypts SPCs and encrypts any CKC that a test requires.
struct TinyServer {
    let privateKey: RSAPrivateKey
    let certificate: [UInt8]
    let ask: SecretBytes

    /// Creates a server with a key and its certificate of TestVectors/keys.
    init(_ name: String) throws {
        let folder = VectorFile.root.appending(path: "keys")
        privateKey = try RSAPrivateKey(Data(contentsOf: folder.appending(path: "\(name).pem")))
        certificate = try [UInt8](Data(contentsOf: folder.appending(path: "\(name).der")))
        ask = SecretBytes(copying: Array(0..<16))
    }

    static let rsa1024 = Result { try TinyServer("test-rsa-1024") }
    static let rsa2048 = Result { try TinyServer("test-rsa-2048") }
    static let other = Result { try TinyServer("test-rsa-2048-other") }

    struct Block: Equatable {
        var tag: UInt64
        var value: [UInt8]
        var padding: [UInt8]
        var blockLength: UInt32?
        var valueLength: UInt32?

        init(_ tag: UInt64, _ value: [UInt8], extraPadding: Int = 0) {
            self.tag = tag
            self.value = value
            padding = (0..<(16 - value.count % 16) % 16 + extraPadding).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
        }

        init(raw: [UInt8]) throws {
            var reader = ByteReader(raw.span.bytes)
            tag = try reader.readUInt64("tag")
            let blockLength = Int(try reader.readUInt32("block length"))
            let valueLength = Int(try reader.readUInt32("value length"))
            guard blockLength % 16 == 0, valueLength <= blockLength, blockLength == reader.remaining else {
                throw ParseError(.invalidLength, reading: "block", offset: 0)
            }
            value = try reader.readBytes(valueLength, "value")
            padding = try reader.readBytes(reader.remaining, "padding")
        }

        var bytes: [UInt8] {
            var writer = ByteWriter()
            writer.write(tag)
            writer.write(blockLength ?? UInt32(value.count + padding.count))
            writer.write(valueLength ?? UInt32(value.count))
            writer.write(value + padding)
            return writer.bytes
        }
    }

    struct OpenSPC {
        var version: UInt32
        var certificateHash: [UInt8]
        var blocks: [Block]
        var sessionKey: SecretBytes
        var hu: [UInt8]
        var r1: [UInt8]
        var integrity: [UInt8]

        subscript(tag: SPCDraft.Tag) -> [UInt8]? { blocks.first { $0.tag == tag.rawValue }?.value }

        var returned: [Block] {
            numbers(self[.tagReturnRequest] ?? []).compactMap { tag in blocks.first { $0.tag == tag } }
        }
    }

    func open(_ spc: [UInt8]) throws -> OpenSPC {
        var reader = ByteReader(spc.span.bytes)
        let version = try reader.readUInt32("version")
        _ = try reader.readUInt32("reserved")
        let iv = try reader.readBytes(16, "IV")
        let encryptedKey = try reader.readBytes(privateKey.bits / 8, "key")
        let hash = try reader.readBytes(20, "hash")
        let payload = try reader.readBytes(Int(try reader.readUInt32("length")), "payload")
        try reader.finish("SPC")
        let key = try privateKey.decryptOAEP(encryptedKey)
        let blocks = try Self.blocks(in: try AES128.decryptCBC(payload, key: key, iv: iv))
        func value(_ tag: SPCDraft.Tag) throws -> [UInt8] {
            guard let block = blocks.first(where: { $0.tag == tag.rawValue }) else {
                throw ParseError(.invalidValue, reading: "missing block", offset: 0)
            }
            return block.value
        }
        let dask = HMACSHA256.derive(try value(.r2), key: ask)[0..<16]
        let session = try value(.sessionKeyAndR1)
        guard session.count == 112 else { throw ParseError(.invalidLength, reading: "[SK...R1]", offset: 0) }
        let plain = try AES128.decryptCBC(session[16...], key: dask, iv: session[..<16])
        return OpenSPC(
            version: version,
            certificateHash: hash,
            blocks: blocks,
            sessionKey: SecretBytes(copying: plain[..<16]),
            hu: Array(plain[16..<36]),
            r1: Array(plain[36..<80]),
            integrity: Array(plain[80..<96])
        )
    }

    static func blocks(in payload: [UInt8]) throws -> [Block] {
        var reader = ByteReader(payload.span.bytes)
        var blocks: [Block] = []
        while reader.remaining > 0 {
            var ahead = ByteReader(payload.span.bytes)
            try ahead.skip(reader.offset + 8, "tag")
            let length = Int(try ahead.readUInt32("block length"))
            blocks.append(try Block(raw: try reader.readBytes(16 + length, "block")))
        }
        return blocks
    }
}

/// A CKC before encryption. The CKC is valid, and a test can change it.
struct TestCKC {
    static let contentKey: [UInt8] = (0..<16).map { 0x40 + $0 }
    static let contentIV: [UInt8] = (0..<16).map { 0xc0 + $0 }

    enum Tag {
        static let encryptedCK: UInt64 = 0x58b3_8165_af0e_3d5a
        static let r1: UInt64 = 0xea74_c464_5d5e_fee9
        static let duration: UInt64 = 0x47ac_f6a4_18cd_091a
        static let securityLevel: UInt64 = 0x644c_b1da_c031_3250
        static let offlineKey: UInt64 = 0x6375_d972_7060_218c
        static let hdcp: UInt64 = 0x2e52_f153_0d8d_db4a
    }

    var version: UInt32 = 1
    var reserved: UInt32 = 0
    /// The CKC's blocks, apart from returned blocks.
    var own: [TinyServer.Block]
    var returned: [TinyServer.Block]
    var payloadLength: UInt32?
    var trailing: [UInt8] = []
    let payloadKey: SecretBytes

    init(_ spc: TinyServer.OpenSPC, extra: [TinyServer.Block] = []) throws {
        let encrypted = try AES128.encryptBlock(Self.contentKey, key: spc.sessionKey)
        own = [.init(Tag.encryptedCK, Self.contentIV + encrypted, extraPadding: 32), .init(Tag.r1, spc.r1)] + extra
        returned = spc.returned
        let arKey = SecretBytes(copying: SHA1.hash(spc.r1)[..<16])
        payloadKey = try AES128.encryptBlockSecret(spc[.antiReplaySeed] ?? [], key: arKey)
    }

    subscript(tag: UInt64) -> TinyServer.Block? {
        get { own.first { $0.tag == tag } }
        set {
            own.removeAll { $0.tag == tag }
            if let newValue { own.append(newValue) }
        }
    }

    func sealed(changing change: (inout [UInt8]) -> Void = { _ in }) throws -> [UInt8] {
        var payload = (own + returned).flatMap(\.bytes)
        change(&payload)
        let iv: [UInt8] = (0..<16).map { 0x11 * $0 }
        var writer = ByteWriter()
        writer.write(version)
        writer.write(reserved)
        writer.write(iv)
        writer.write(payloadLength ?? UInt32(payload.count))
        writer.write(try AES128.encryptCBC(payload, key: payloadKey, iv: iv))
        writer.write(trailing)
        return writer.bytes
    }
}

/// The blocks of a CKC that set its terms.
extension TinyServer.Block {
    static func duration(lease: UInt32 = 0, rental: UInt32 = 0, type: UInt32, reserved: UInt32 = 0x86d3_4a3a) -> Self {
        Self(TestCKC.Tag.duration, [lease, rental, type, reserved].flatMap { bigEndian($0) })
    }
    static func lease(_ seconds: UInt32) -> Self { duration(lease: seconds, type: 0x1a4b_de7e) }
    static func rental(_ seconds: UInt32) -> Self { duration(rental: seconds, type: 0x3dfe_45a0) }
    static func both(lease: UInt32, rental: UInt32) -> Self {
        duration(lease: lease, rental: rental, type: 0x27b5_9bde)
    }
    static let persistent = duration(type: 0x3df2_d9fb)
    static func persistent(rental: UInt32) -> Self { duration(rental: rental, type: 0x18f0_6048) }

    static func offlineKey(
        version: UInt32 = 2,
        reserved: UInt32 = 0,
        stream: UInt8 = 1,
        storage: UInt32,
        playback: UInt32,
        title: UInt8? = 9
    ) -> Self {
        let id = [UInt8](repeating: stream, count: 16)
        let title = title.map { [UInt8](repeating: $0, count: 16) } ?? []
        return Self(
            TestCKC.Tag.offlineKey,
            bigEndian(version) + bigEndian(reserved) + id + bigEndian(storage) + bigEndian(playback) + title
        )
    }

    static func hdcp(_ level: UInt64, short: Bool = false) -> Self {
        Self(TestCKC.Tag.hdcp, bigEndian(level) + (short ? [] : [1, 2, 3, 4, 5, 6, 7, 8]))
    }
    static func securityLevel(_ level: UInt64, version: UInt32 = 1) -> Self {
        Self(TestCKC.Tag.securityLevel, bigEndian(version) + [0, 0, 0, 0] + bigEndian(level))
    }
}

func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

func number(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

func numbers(_ bytes: [UInt8]) -> [UInt64] {
    stride(from: 0, to: bytes.count, by: 8).map { number(bytes[$0..<min($0 + 8, bytes.count)]) }
}
