import FPSMessages
import KeyServerModule

extension Report {
    /// Creates a report about an SPC.
    ///
    /// - Parameter isBase64: Whether the input was base64, in which apps often send SPCs.
    init(spc inspection: SPCInspection, size: Int, isBase64: Bool = false) {
        let version = inspection.message?.version.description ?? "3"
        self.init(kind: "spc", headline: "SPC of version \(version), \(size) bytes")
        if isBase64 { notes.append("the file is base64 of an SPC; the size is that of the decoded bytes") }
        if let message = inspection.message { tables.append(Self.container(message)) }
        if let blocks = inspection.blocks {
            tables.append(BlockTables.payload(blocks))
            notes += blocks.filter(\.hasUniformPadding).map { SPCRequest.Anomaly.uniformPadding($0.tag).description }
        }
        if let session = inspection.session { tables.append(Self.session(session)) }
        if let payload = inspection.payload { notes += Self.notes(payload) }
        problem = inspection.problem.map {
            Problem(stage: $0.stage.rawValue, code: $0.code.rawValue, reason: $0.reason)
        }
    }

    private static func container(_ message: SPCMessage) -> FieldTable {
        FieldTable(
            title: "Container",
            remark: "Table 2-3",
            fields: [
                Field("version", .number(message.version.rawValue)),
                Field("reserved", .word(message.reserved)),
                Field("payload IV", .bytes(message.iv)),
                Field("encrypted payload key", .opaque(message.encryptedKey)),
                Field("certificate hash", .bytes(message.certificateHash)),
                Field("payload length", .number(message.encryptedPayload.count, unit: "bytes")),
                Field("encrypted payload", .opaque(message.encryptedPayload)),
            ]
        )
    }

    private static func session(_ session: SPCInspection.Session) -> FieldTable {
        var fields = [Field("integrity", .text("holds")), Field("HU", .bytes(session.hu))]
        if let key = session.sessionKey { fields.append(Field("session key", .secret(key))) }
        if let r1 = session.r1 { fields.append(Field("R1", .secret(r1))) }
        return FieldTable(title: "Session", remark: "the decrypted [SK...R1]", fields: fields)
    }

    private static func notes(_ payload: SPCPayload) -> [String] {
        var notes: [String] = []
        // Unusual padding has been noted above, also for payloads that cannot be parsed.
        for anomaly in payload.request.anomalies {
            switch anomaly {
            case .unknownVersion, .invalidSync: notes.append(anomaly.description)
            case .uniformPadding: break
            }
        }
        let unknown = payload.blocks.filter { $0.tag.name == nil }.count
        if unknown > 0 {
            notes.append(
                "\(unknown) \(unknown == 1 ? "block is" : "blocks are") not in the guide; a key server ignores them"
            )
        }
        for tag in payload.tagReturnRequest.tags where payload.blocks[tag] == nil {
            notes.append(Note.requestedTagAbsent(tag).description)
        }
        if payload.request.sync != nil {
            notes.append("this is a Sync SPC: it reports on offline keys, and is never answered with a key")
        }
        let supported = payload.protocolVersionsSupported.versions
        let used = payload.protocolVersionUsed.version
        if !supported.contains(used) {
            notes.append("the version used, \(used), is not one of those supported: a key server refuses this SPC")
        }
        if payload.request.streamingIndicator == .digitalAVAdapter {
            notes.append("HU identifies the adapter, not the device")
        }
        return notes
    }
}
