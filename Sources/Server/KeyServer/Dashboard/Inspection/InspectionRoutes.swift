import ByteCoding
import FPSCrypto
import FPSMessages
import Hummingbird
import KeyServerModule
import KeyStore
import TextCoding

/// The route that parses a message.
///
///     POST /admin/inspections    {"message": BASE64}
///
/// For an SPC with one of this server's certificates, the response contains every block, with a description if it is
/// not secret. It never contains SK, R1, HU, or the bytes of a block that reveals them. If an SPC cannot be decrypted,
/// the reason is not shown, as in responses to devices. For a CKC, the response describes the container only, because
/// only the device can decrypt it.
struct InspectionRoutes: Sendable {
    let opener: (bundles: BundleCache, pool: BoundedWorkPool)?
    let store: any AuditLog
    private static let bodyLimit = 98_304

    var endpoints: [AdminEndpoint] {
        [AdminEndpoint(.post, "/admin/inspections", .read) { try await inspect($0) }]
    }

    private func inspect(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        var fields = try await request.fields(upTo: Self.bodyLimit)
        let text = try fields.string("message")
        try fields.finish()
        guard let text else { throw fields.error("message", "the field is missing") }
        guard let bytes = Base64.decode(text, [.lenient, .whitespace]), !bytes.isEmpty else {
            throw fields.error("message", "expected base64")
        }
        if let ckc = try? CKCMessage(parsing: bytes) { return MessageReport(ckc).json(size: bytes.count).response() }
        let spc: SPCMessage
        do throws(ParseError) {
            spc = try SPCMessage(parsing: bytes)
        } catch {
            throw ProblemDocument(
                .malformedRequest,
                detail: "The message is neither an SPC nor a CKC: \(error.code) at byte \(error.offset).",
                reason: error.code.rawValue
            )
        }
        var report = MessageReport(spc)
        await open(bytes, spc, &report)
        return report.json(size: bytes.count).response()
    }

    private func open(_ bytes: [UInt8], _ spc: SPCMessage, _ report: inout MessageReport) async {
        guard let opener else { return }
        let module = opener.bundles.module
        guard let bundle = module.bundles.first(where: { $0.certificate.sha1 == spc.certificateHash }) else {
            report.note = "This server has no certificate with this SHA-1 hash."
            return
        }
        report.bundle = bundle.name
        do {
            let opened = try await opener.pool.run { Result { () throws(KSMError) in try module.open(bytes) } }.get()
            report.add(opened, device: opened.deviceID.map { store.deviceHash(hu: $0) })
        } catch let error as KSMError where !error.isUnreadable {
            report.note = error.description
        } catch is KSMError {
            report.note = "The SPC cannot be opened. For license requests, the audit log contains the reason."
        } catch {
            report.note = "The server is too busy to open the SPC. Try again."
        }
    }
}
