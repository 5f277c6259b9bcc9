import FPSMessages
import KeyServerModule
import KeyStore
import TextCoding

/// What is shown of an SPC or a CKC.
struct MessageReport: Sendable {
    /// A part of the frame, or a block of the payload.
    struct Part: Sendable {
        let name: String
        /// The tag, 16 hexadecimal digits; nil for a part of the frame.
        var tag: String?
        /// Where it begins: in the message, or in the payload; in bytes.
        let offset: Int
        /// Of the value, in bytes.
        let size: Int
        /// What it means; nil for what is encrypted, secret or not known.
        var value: String?
        /// Whether its bytes lead to a secret, so that they are never shown.
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

    /// The frame of an SPC.
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

    /// The frame of a CKC.
    init(_ ckc: CKCMessage) {
        kind = "ckc"
        frame = [
            Part(name: "version", offset: 0, size: 4, value: "\(CKCMessage.version)"),
            Part(name: "payload IV", offset: 8, size: 16, value: Hexadecimal.encode(ckc.iv)),
            Part(name: "payload, AES-CBC", offset: 28, size: ckc.encryptedPayload.count),
        ]
        note = "Only the device that asked can open a CKC: its key is made of R1, which no server keeps."
    }

    /// Adds what lies in an SPC.
    mutating func add(_ opened: OpenedSPC, device: DeviceHash?) {
        isOpened = true
        self.device = device.map { Hexadecimal.encode($0.bytes) }
        remarks = opened.notes.map(\.description)
        guard let payload = opened.sessionSecrets?.payload else {
            note = "A plug-in opened the SPC, and keeps its payload to itself."
            return
        }
        blocks = payload.blocks.map { block in
            Part(
                name: block.tag.name ?? "unknown",
                tag: Hexadecimal.encode(block.tag.rawValue),
                offset: block.offset,
                size: block.value.count,
                value: BlockMeaning.words(for: block, in: payload),
                isSecret: BlockMeaning.secret.contains(block.tag)
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
