import FPSCrypto
import FPSMessages
import VirtualDevice

/// A request that a virtual device made, and its answer.
struct DeviceExchange: Sendable {
    let device: FPSDevice
    let certificate: X509Certificate
    let request: KeyRequest
    let answer: KeyServerClient.Answer

    /// What went back and forth.
    func report(server: String, showsMessages: Bool) -> Report {
        let spc = SPCDissection(made: request, by: device)
        var report = Report(kind: "key-request", headline: "A virtual \(device.profile.name) asks \(escaped(server))")
        report.tables.append(
            FieldTable(
                title: "Request",
                fields: [
                    Field("profile", .text(device.profile.name)),
                    Field("certificate hash", .bytes(certificate.sha1)),
                    Field("HU", .bytes(device.hu(for: device.profile.output))),
                ] + (AssetID(request.assetID)?.fields ?? []) + [
                    Field("transaction ID", .identifier(request.transactionID)),
                    Field("SPC", .number(request.spc.count, unit: "bytes")),
                ]
            )
        )
        if showsMessages { report.include(Report(spc: spc, size: request.spc.count), as: "SPC") }
        var fields = [Field("CKC", .number(answer.ckc.count, unit: "bytes"))]
        if let flag = answer.isPersistable { fields.append(Field("persistable", .flag(flag))) }
        if let flag = answer.hasDualExpiry { fields.append(Field("dual expiry", .flag(flag))) }
        report.tables.append(FieldTable(title: "Answer", fields: fields))
        if showsMessages {
            let ckc = CKCDissection(answer.ckc, payloadKey: try? CKCDissection.payloadKey(for: spc))
            var shown = Report(ckc: ckc, size: answer.ckc.count, sessionKey: nil)
            // What the device makes of it is what counts, and comes next.
            shown.problem = nil
            report.include(shown, as: "CKC")
        }
        return report
    }

    /// Opens the CKC on the device, plays, and shows the key that it plays with.
    func openKey(persistable: Bool) throws(FPSError) -> FieldTable {
        let key: DeviceKey
        var fields: [Field] = []
        if persistable {
            let kept = try device.makePersistentKey(ckc: answer.ckc, for: request)
            key = try device.loadPersistentKey(kept)
            fields.append(Field("kept", .number(kept.count, unit: "bytes, sealed for this device")))
        } else {
            key = try device.process(ckc: answer.ckc, for: request)
        }
        try key.startPlaying()
        let content = try key.contentKey()
        fields = Report.contentKeyFields(content.key, iv: content.iv) + fields
        fields += key.notes.map { Field("note", .text($0)) }
        return FieldTable(title: "Content key", remark: "as the device plays with it", fields: fields)
    }
}

extension SPCDissection {
    /// The SPC as the device knows it, which made it and needs no private key.
    fileprivate init(made request: KeyRequest, by device: FPSDevice) {
        self.init(request.spc, with: OpeningCredentials())
        blocks = try? TLLVSequence(parsing: request.payload)
        payload = try? SPCPayload(parsing: request.payload)
        session = Session(
            hu: device.hu(for: device.profile.output),
            sessionKey: request.secrets.sessionKey,
            r1: request.secrets.r1
        )
    }
}

extension Report {
    /// Takes over another report's tables and notes, under titles that name the message.
    fileprivate mutating func include(_ other: Report, as message: String) {
        tables += other.tables.map { table in
            FieldTable(
                title: "\(message) \(table.title.lowercased())",
                remark: table.remark,
                heading: table.heading,
                fields: table.fields,
                blocks: table.blocks
            )
        }
        notes += other.notes.map { "\(message): \($0)" }
    }
}
