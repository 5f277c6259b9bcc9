import FPSCrypto
import FPSMessages
import KeyServerModule

/// An SPC that is open, and with it the way into its CKC.
struct OpenedExchange: Sendable {
    /// What the SPC says.
    let payload: SPCPayload
    /// The secrets.
    let session: SPCDissection.Session
    /// R1, 44 bytes.
    let r1: SecretBytes
    /// The key of the CKC's payload, 16 bytes.
    let payloadKey: SecretBytes

    /// Opens the SPC in a file.
    ///
    /// - Throws: a failure, where it does not open: without it, nothing can be said of a CKC.
    init(spc path: String, _ options: OpeningOptions) throws(CommandFailure) {
        let credentials = try options.credentials()
        let bytes = try MessageFile.read(path, as: .spc, allowsVersion3: credentials.wholeSPC != nil)
        let dissection = SPCDissection(bytes, with: credentials)
        if let problem = dissection.problem {
            throw .input("the SPC does not open: \(problem.reason)", next: "keyway spc inspect shows how far it goes")
        }
        guard let payload = dissection.payload, let session = dissection.session, let r1 = session.r1,
            let payloadKey = try CKCDissection.payloadKey(for: dissection)
        else {
            throw .input(
                "the plug-in keeps the secrets of this SPC to itself",
                next: "only the plug-in can open the CKC; use a device"
            )
        }
        self.payload = payload
        self.session = session
        self.r1 = r1
        self.payloadKey = payloadKey
    }
}
