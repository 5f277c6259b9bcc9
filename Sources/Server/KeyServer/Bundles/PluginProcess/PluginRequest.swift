import FPSCrypto
import FPSMessages
import KeyServerModule

/// A request of the server to the process of a plug-in. The fields of each kind, in the order of their frame:
///
/// | Kind | Request | Fields |
/// |---|---|---|
/// | 1 | load the plug-in; the first request | memory bound (8), path (≤ 4,096), configuration (≤ 65,536), ASk (16 or 0), provisioning data (≤ 65,536) |
/// | 2 | derive DASk | R2 (21) |
/// | 3 | process the key payload | [SK...R1] (112), integrity (16), R2 (21), certificate hash (≤ 64), content key (16 or 0), IV (16 or 0) |
/// | 4 | open an SPC | SPC (≤ 131,072) |
/// | 5 | create a CKC | session number (8), content key (16), IV (16), terms (≤ 16,384) |
/// | 6 | release a session | session number (8) |
enum PluginRequest: Sendable {
    case load(PluginLoading)
    case deriveDASk(R2)
    case keyPayload(KeyPayload, LicensedKey?)
    case openSPC([UInt8])
    case createCKC(session: UInt64, LicensedKey, terms: [UInt8])
    case release(session: UInt64)

    /// The maximum size of an SPC, in bytes.
    static let spcLimit = 131_072

    /// Writes the request as the only frame of a buffer.
    func write(to buffer: PluginFrameBuffer, _ header: PluginFrameHeader) throws(PluginFrameError) {
        switch self {
        case .load(let loading):
            buffer.begin(kind: 1, header)
            loading.write(to: buffer)
        case .deriveDASk(let r2):
            buffer.begin(kind: 2, header)
            buffer.append(field: r2.bytes)
        case .keyPayload(let payload, let key):
            buffer.begin(kind: 3, header)
            buffer.append(field: payload.sessionKeyAndR1.iv + payload.sessionKeyAndR1.encryptedPayload)
            buffer.append(field: payload.integrity.bytes)
            buffer.append(field: payload.r2.bytes)
            buffer.append(field: payload.certificateHash)
            buffer.append(field: key?.key)
            buffer.append(field: key?.iv ?? [])
        case .openSPC(let spc):
            buffer.begin(kind: 4, header)
            buffer.append(field: spc)
        case .createCKC(let session, let key, let terms):
            buffer.begin(kind: 5, header)
            buffer.append(session)
            buffer.append(field: key.key)
            buffer.append(field: key.iv)
            buffer.append(field: terms)
        case .release(let session):
            buffer.begin(kind: 6, header)
            buffer.append(session)
        }
        try buffer.end()
    }

    /// Reads the request that a buffer contains.
    init(reading buffer: PluginFrameBuffer) throws(PluginFrameError) {
        switch try buffer.beginReading().kind {
        case 1:
            self = .load(try PluginLoading(reading: buffer))
        case 2:
            self = .deriveDASk(R2(try buffer.readBytes(exactly: 21)))
        case 3:
            let sessionKeyAndR1 = try buffer.readBytes(exactly: 112)
            let payload = KeyPayload(
                sessionKeyAndR1: SessionKeyAndR1(
                    iv: Array(sessionKeyAndR1[..<16]),
                    encryptedPayload: Array(sessionKeyAndR1[16...])
                ),
                integrity: SessionKeyAndR1Integrity(try buffer.readBytes(exactly: 16)),
                r2: R2(try buffer.readBytes(exactly: 21)),
                certificateHash: try buffer.readBytes(limit: 64)
            )
            let (key, iv) = (try buffer.readSecret(limit: 16), try buffer.readBytes(limit: 16))
            let licensed = LicensedKey(key: key, iv: iv)
            guard licensed != nil || key.count + iv.count == 0 else { throw .invalid }
            self = .keyPayload(payload, licensed)
        case 4:
            self = .openSPC(try buffer.readBytes(limit: Self.spcLimit))
        case 5:
            let session: UInt64 = try buffer.read()
            let (key, iv) = (try buffer.readSecret(exactly: 16), try buffer.readBytes(exactly: 16))
            guard let licensed = LicensedKey(key: key, iv: iv) else { throw .invalid }
            self = .createCKC(session: session, licensed, terms: try buffer.readBytes(limit: 16_384))
        case 6:
            self = .release(session: try buffer.read())
        default: throw .invalid
        }
        try buffer.finish()
    }
}

/// The plug-in that a process loads, with the operator's secrets for it, and the bound of its memory.
struct PluginLoading: Sendable {
    /// The bound of the process's resident memory, in bytes.
    var memory: UInt64
    /// The absolute path of the shared library.
    var path: String
    /// The operator's configuration text.
    var configuration = ""
    /// The ASk, 16 bytes, or nil.
    var ask: SecretBytes?
    /// The provisioning data, or nil.
    var provisioningData: SecretBytes?

    /// Creates a value.
    init(
        memory: Int,
        path: String,
        configuration: String = "",
        ask: SecretBytes? = nil,
        provisioningData: SecretBytes? = nil
    ) {
        self.memory = UInt64(clamping: memory)
        self.path = path
        self.configuration = configuration
        self.ask = ask
        self.provisioningData = provisioningData
    }

    func write(to buffer: PluginFrameBuffer) {
        buffer.append(memory)
        buffer.append(field: Array(path.utf8))
        buffer.append(field: Array(configuration.utf8))
        buffer.append(field: ask)
        buffer.append(field: provisioningData)
    }

    init(reading buffer: PluginFrameBuffer) throws(PluginFrameError) {
        memory = try buffer.read()
        path = String(decoding: try buffer.readBytes(limit: 4_096), as: UTF8.self)
        configuration = String(decoding: try buffer.readBytes(limit: 65_536), as: UTF8.self)
        let ask = try buffer.readSecret(limit: 16)
        let provisioningData = try buffer.readSecret(limit: 65_536)
        self.ask = ask.count == 0 ? nil : ask
        self.provisioningData = provisioningData.count == 0 ? nil : provisioningData
    }
}
