import FPSCrypto
import FPSMessages
import KeyServerModule

/// A reply of a plug-in's process. The fields of each kind, in the order of their frame:
///
/// | Kind | Reply | Fields |
/// |---|---|---|
/// | 1 | the plug-in is loaded | functions (4: 1 `derive_dask`, 2 `key_payload`, 4 `open_spc`), serial (4: 0 or 1), number of capabilities (4, ≤ 64), and for each its name (≤ 64) and version (4) |
/// | 2 | DASk | DASk (16) |
/// | 3 | the key payload | HU (20), R1 (44), encrypted content key (16 or 0), its IV (16 or 0) |
/// | 4 | an open SPC | session number (8), HU (20), certificate hash (20 or 32), TLLVs (≤ 131,072) |
/// | 5 | a CKC | CKC (≤ 16,384) |
/// | 6 | a session is released | - |
/// | 128 | the message cannot be decrypted | - |
/// | 129 | the plug-in failed | reason (≤ 1,024 bytes of text) |
enum PluginReply: Sendable {
    case loaded(PluginSummary)
    case dask(SecretBytes)
    case keyPayload(OpenedKeyPayload)
    case openedSPC(session: UInt64, PluginSPC)
    case ckc([UInt8])
    case released
    case invalidMessage
    case failed(reason: String)

    /// The maximum number of bytes of a reason.
    private static let reasonLimit = 1_024

    /// Writes the reply as the only frame of a buffer.
    func write(to buffer: PluginFrameBuffer, _ header: PluginFrameHeader) throws(PluginFrameError) {
        switch self {
        case .loaded(let summary):
            buffer.begin(kind: 1, header)
            summary.write(to: buffer)
        case .dask(let dask):
            buffer.begin(kind: 2, header)
            buffer.append(field: dask)
        case .keyPayload(let opened):
            buffer.begin(kind: 3, header)
            buffer.append(field: opened.hu)
            buffer.append(field: opened.r1)
            buffer.append(field: opened.encryptedContentKey?.encryptedKey ?? [])
            buffer.append(field: opened.encryptedContentKey?.iv ?? [])
        case .openedSPC(let session, let spc):
            buffer.begin(kind: 4, header)
            buffer.append(session)
            buffer.append(field: spc.hu)
            buffer.append(field: spc.certificateHash)
            buffer.append(field: spc.request)
        case .ckc(let ckc):
            buffer.begin(kind: 5, header)
            buffer.append(field: ckc)
        case .released:
            buffer.begin(kind: 6, header)
        case .invalidMessage:
            buffer.begin(kind: 128, header)
        case .failed(let reason):
            buffer.begin(kind: 129, header)
            buffer.append(field: Array(reason.utf8.prefix(Self.reasonLimit)))
        }
        try buffer.end()
    }

    /// Reads the reply that a buffer contains.
    init(reading buffer: PluginFrameBuffer) throws(PluginFrameError) {
        switch try buffer.beginReading().kind {
        case 1:
            self = .loaded(try PluginSummary(reading: buffer))
        case 2:
            self = .dask(try buffer.readSecret(exactly: 16))
        case 3:
            let (hu, r1) = (try buffer.readBytes(exactly: 20), try buffer.readSecret(exactly: 44))
            let (key, iv) = (try buffer.readBytes(limit: 16), try buffer.readBytes(limit: 16))
            guard key.count == iv.count, [0, 16].contains(key.count) else { throw .invalid }
            let encrypted = key.isEmpty ? nil : EncryptedContentKey(iv: iv, encryptedKey: key)
            self = .keyPayload(OpenedKeyPayload(hu: hu, r1: r1, encryptedContentKey: encrypted))
        case 4:
            self = .openedSPC(session: try buffer.read(), try PluginSPC(reading: buffer))
        case 5:
            self = .ckc(try buffer.readBytes(limit: 16_384))
        case 6:
            self = .released
        case 128:
            self = .invalidMessage
        case 129:
            // The text becomes part of log lines.
            let text = try buffer.readBytes(limit: Self.reasonLimit)
            let printable = text.map { (0x20...0x7e).contains($0) ? $0 : UInt8(ascii: "?") }
            self = .failed(reason: String(decoding: printable, as: UTF8.self))
        default: throw .invalid
        }
        try buffer.finish()
    }
}

/// The values of an SPC that a plug-in has opened.
struct PluginSPC: Sendable {
    /// The device's anonymous ID, 20 bytes.
    let hu: [UInt8]
    /// The hash of the application certificate, 20 or 32 bytes.
    let certificateHash: [UInt8]
    /// The decrypted TLLVs.
    let request: [UInt8]

    /// Creates a value.
    init(hu: [UInt8], certificateHash: [UInt8], request: [UInt8]) {
        (self.hu, self.certificateHash, self.request) = (hu, certificateHash, request)
    }

    /// Creates a value from an SPC that was opened in this process.
    init(_ opened: any WholeSPCSession) {
        hu = opened.hu
        certificateHash = opened.certificateHash
        request = opened.request
    }

    init(reading buffer: PluginFrameBuffer) throws(PluginFrameError) {
        hu = try buffer.readBytes(exactly: 20)
        certificateHash = try buffer.readBytes(limit: 32)
        guard [20, 32].contains(certificateHash.count) else { throw .invalid }
        request = try buffer.readBytes(limit: 131_072)
    }
}

extension PluginSummary {
    private static let bits: [(Function, UInt32)] = [(.deriveDASk, 1), (.keyPayload, 2), (.wholeSPC, 4)]

    fileprivate func write(to buffer: PluginFrameBuffer) {
        buffer.append(Self.bits.reduce(UInt32(0)) { $0 | (functions.contains($1.0) ? $1.1 : 0) })
        buffer.append(UInt32(isSerial ? 1 : 0))
        buffer.append(UInt32(clamping: capabilities.count))
        for capability in capabilities {
            buffer.append(field: Array(capability.name.utf8))
            buffer.append(capability.version)
        }
    }

    fileprivate init(reading buffer: PluginFrameBuffer) throws(PluginFrameError) {
        let (functions, serial): (UInt32, UInt32) = (try buffer.read(), try buffer.read())
        let count: UInt32 = try buffer.read()
        guard functions < 8, serial < 2 else { throw .invalid }
        guard count <= 64 else { throw .tooLong }
        var capabilities: [Capability] = []
        for _ in 0..<count {
            let name = try buffer.readBytes(limit: 64)
            guard Capability.isValid(name: name) else { throw .invalid }
            capabilities.append(
                Capability(name: String(decoding: name, as: UTF8.self), version: try buffer.read())
            )
        }
        do throws(PluginSummary.Problem) {
            try self.init(
                functions: Self.bits.filter { functions & $0.1 != 0 }.map(\.0),
                isSerial: serial == 1,
                capabilities: capabilities
            )
        } catch {
            throw .invalid
        }
    }
}
