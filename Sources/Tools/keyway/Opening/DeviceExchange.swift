import ByteCoding
import FPSCrypto
import FPSMessages
import ToolSupport
import VirtualDevice

/// A key request of a virtual device, and the reports about it and the response of the server.
struct DeviceExchange: Sendable {
    let device: FPSDevice
    let certificate: X509Certificate
    let request: KeyRequest

    /// Returns a report about the request.
    func report(server: String, showsMessages: Bool) -> Report {
        let spc = SPCInspection(made: request, by: device)
        var report = Report(
            kind: "key-request",
            headline: "Key request of a virtual \(device.profile.name) to \(escaped(server))"
        )
        report.tables.append(
            FieldTable(
                title: "Request",
                fields: [
                    Field("profile", .text(device.profile.name)),
                    Field("certificate hash", .bytes(certificate.sha1)),
                    Field("HU", .bytes(device.hu(for: request.output))),
                ] + (AssetID(request.assetID)?.fields ?? []) + [
                    Field("transaction ID", .identifier(request.transactionID)),
                    Field("SPC", .number(request.spc.count, unit: "bytes")),
                ]
            )
        )
        if showsMessages { report.include(Report(spc: spc, size: request.spc.count), as: "SPC") }
        return report
    }

    /// Adds the response to a report.
    ///
    /// - Parameter showsOrigin: Whether to add the response's ID and date, by which it is found in the server's logs.
    func add(
        _ response: KeyServerClient.Response,
        to report: inout Report,
        showsMessages: Bool,
        showsOrigin: Bool = false
    ) {
        var fields = [Field("CKC", .number(response.ckc.count, unit: "bytes"))]
        if let flag = response.isPersistable { fields.append(Field("persistable", .flag(flag))) }
        if let flag = response.hasDualExpiry { fields.append(Field("dual expiry", .flag(flag))) }
        if response.isBase64 { fields.append(Field("encoding", .text("base64, which an app must decode"))) }
        if showsOrigin {
            fields.append(Field("X-Request-Id", .text(response.requestID ?? "none")))
            fields.append(Field("Date", .text(response.date ?? "none")))
        }
        report.tables.append(FieldTable(title: "Response", fields: fields))
        if showsMessages {
            let spc = SPCInspection(made: request, by: device)
            let ckc = CKCInspection(response.ckc, payloadKey: try? CKCInspection.payloadKey(for: spc))
            var shown = Report(ckc: ckc, size: response.ckc.count, sessionKey: nil)
            // Problems of the CKC are reported when the device opens it.
            shown.problem = nil
            report.include(shown, as: "CKC")
        }
    }

    /// Returns a table of the response to an SPC that requests no key.
    static func table(status: Int, body: [UInt8]) -> FieldTable {
        let text = String(validating: body.prefix(4096), as: UTF8.self)
        let content = body.isEmpty ? nil : text.map { Field("body", .text($0)) } ?? Field("body", .opaque(body))
        let fields = [Field("status", .number(status)), Field("key", .text("none: the SPC requests no key"))]
        return FieldTable(title: "Response", fields: fields + (content.map { [$0] } ?? []))
    }

    /// Opens the CKC on the device, starts playback, and returns a table of the content key.
    func openKey(_ response: KeyServerClient.Response, persistable: Bool) throws(FPSError) -> FieldTable {
        let key: DeviceKey
        var fields: [Field] = []
        if persistable {
            let persistentKey = try device.makePersistentKey(ckc: response.ckc, for: request)
            key = try device.loadPersistentKey(persistentKey)
            fields.append(
                Field("persistent key", .number(persistentKey.count, unit: "bytes, encrypted for this device"))
            )
        } else {
            key = try device.process(ckc: response.ckc, for: request)
        }
        try key.startPlaying()
        let content = try key.contentKey()
        fields = Report.contentKeyFields(content.key, iv: content.iv) + fields
        fields += key.notes.map { Field("note", .text($0)) }
        return FieldTable(title: "Content key", remark: "as used by the device", fields: fields)
    }
}

extension SPCInspection {
    /// Creates the parts of an SPC from the device that created it, without a private key.
    fileprivate init(made request: KeyRequest, by device: FPSDevice) {
        self.init(request.spc, with: OpeningCredentials())
        blocks = try? TLLVSequence(parsing: request.payload)
        payload = try? SPCPayload(parsing: request.payload)
        session = Session(
            hu: device.hu(for: request.output),
            sessionKey: request.secrets.sessionKey,
            r1: request.secrets.r1
        )
    }
}

extension Report {
    /// Adds the tables and notes of another report, with the name of the message in their titles.
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
