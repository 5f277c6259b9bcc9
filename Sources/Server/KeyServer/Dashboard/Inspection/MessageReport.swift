import FPSMessages
import KeyServerModule
import KeyStore
import TextCoding

/// The contents of an SPC or a CKC, without secrets.
struct MessageReport: Sendable {
    /// A field of the container, or a block of the payload.
    struct Part: Sendable {
        let name: String
        /// The tag, 16 hexadecimal digits; nil for a field of the container.
        var tag: String?
        /// The offset in the message or in the payload, in bytes.
        let offset: Int
        /// The size of the value, in bytes.
        let size: Int
        /// The description of the value; nil if it is encrypted, secret or unknown.
        var value: String?
        /// True if the bytes reveal a secret, so that they are never shown.
        var isSecret = false

        var json: JSONValue {
            .fields([
                ("name", .string(name)),
                ("tag", tag.map { .string($0) }),
                ("offset", .integer(offset)),
                ("size", .integer(size)),
                ("value", value.map { .string($0) }),
                ("secret", .bool(isSecret)),
            ])
        }
    }

    let kind: String
    let frame: [Part]
    var blocks: [Part] = []
    var bundle: String?
    var note: String?
    private var device: String?
    private var isOpened = false
    private var remarks: [String] = []

    /// Creates a report of the container of an SPC.
    init(_ spc: SPCMessage) {
        kind = "spc"
        let key = spc.encryptedKey.count
        frame = [
            Part(name: "version", offset: 0, size: 4, value: "\(spc.version)"),
            Part(name: "payload IV", offset: 8, size: 16, value: Hexadecimal.encode(spc.iv)),
            Part(name: "payload key, RSA-OAEP", offset: 24, size: key, isSecret: true),
            Part(name: "certificate SHA-1", offset: 24 + key, size: 20, value: Hexadecimal.encode(spc.certificateHash)),
            Part(name: "payload, AES-CBC", offset: 48 + key, size: spc.encryptedPayload.count),
        ]
    }

    /// Creates a report of the container of a CKC.
    init(_ ckc: CKCMessage) {
        kind = "ckc"
        frame = [
            Part(name: "version", offset: 0, size: 4, value: "\(CKCMessage.version)"),
            Part(name: "payload IV", offset: 8, size: 16, value: Hexadecimal.encode(ckc.iv)),
            Part(name: "payload, AES-CBC", offset: 28, size: ckc.encryptedPayload.count),
        ]
        note = "Only the requesting device can open a CKC: its key is derived from R1, which servers do not store."
    }

    /// Adds the payload of an SPC.
    mutating func add(_ opened: OpenedSPC, device: DeviceHash?) {
        isOpened = true
        self.device = device.map { Hexadecimal.encode($0.bytes) }
        remarks = opened.notes.map(\.description)
        guard let payload = opened.sessionSecrets?.payload else {
            note = "A plug-in opened the SPC and does not return its payload."
            return
        }
        blocks = payload.blocks.map { block in
            Part(
                name: block.tag.name ?? "unknown",
                tag: Hexadecimal.encode(block.tag.rawValue),
                offset: block.offset,
                size: block.value.count,
                value: BlockDescription.text(for: block, in: payload),
                isSecret: BlockDescription.secret.contains(block.tag)
            )
        }
    }

    func json(size: Int) -> JSONValue {
        .fields([
            ("kind", .string(kind)),
            ("size", .integer(size)),
            ("opened", .bool(isOpened)),
            ("bundle", bundle.map { .string($0) }),
            ("device", device.map { .string($0) }),
            ("note", note.map { .string($0) }),
            ("remarks", .array(remarks.map { .string($0) })),
            ("frame", .array(frame.map(\.json))),
            ("blocks", .array(blocks.map(\.json))),
        ])
    }
}
