import FPSCrypto
import FPSMessages
import KeyServerModule
import ToolSupport

/// An opened SPC, and the key to decrypt its CKC.
struct OpenedExchange: Sendable {
    /// The payload of the SPC.
    let payload: SPCPayload
    /// The secrets of the SPC.
    let session: SPCInspection.Session
    /// R1, 44 bytes.
    let r1: SecretBytes
    /// The key of the CKC payload, 16 bytes.
    let payloadKey: SecretBytes
}

extension OpenedExchange {
    /// Opens the SPC in a file.
    ///
    /// - Throws: A failure if the SPC cannot be opened, because a CKC cannot be checked without it.
    init(spc file: InputPath, _ options: OpeningOptions) throws(CommandFailure) {
        let credentials = try options.credentials()
        let bytes = try MessageFile.read(file.path, as: .spc, allowsVersion3: credentials.wholeSPC != nil)
        let inspection = SPCInspection(bytes, with: credentials)
        if let problem = inspection.problem {
            throw .input(
                "the SPC cannot be opened: \(problem.reason)",
                next: "run keyway spc inspect to see which part fails"
            )
        }
        guard let payload = inspection.payload, let session = inspection.session, let r1 = session.r1,
            let payloadKey = try CKCInspection.payloadKey(for: inspection)
        else {
            throw .input(
                "the plug-in does not return the secrets of this SPC",
                next: "only the plug-in can decrypt the CKC; use a device"
            )
        }
        self.payload = payload
        self.session = session
        self.r1 = r1
        self.payloadKey = payloadKey
    }
}
