import Locking

/// A key request: an SPC, and the values that the device stores to decrypt the CKC for it. A request gets only one
/// response.
public final class KeyRequest: Sendable {
    /// The SPC for the server.
    public let spc: [UInt8]
    /// The transaction ID in the SPC.
    public let transactionID: UInt64
    /// The playback session of the key.
    public var session: FPSDevice.PlaybackSession { origin.session }
    /// The asset ID of the requested key.
    public var assetID: [UInt8] { origin.assetID }

    /// The output for the content, which determines HU.
    package var output: DeviceProfile.Output { origin.output }
    /// The SPC's payload before encryption, for tools that display the request.
    package let payload: [UInt8]
    /// The secrets that decrypt the CKC, for tools that display the response.
    package var secrets: SessionSecrets { reader.secrets }

    let origin: KeyOrigin
    /// The HU of the device that created the request.
    let deviceHU: [UInt8]
    let reader: StrictCKCReader
    /// The key that the response renews; nil for a new key.
    let renewing: DeviceKey?
    private let isAnswered = Lock(false)

    init(
        _ built: SPCBuilder.Result,
        origin: KeyOrigin,
        deviceHU: [UInt8],
        reader: StrictCKCReader,
        renewing: DeviceKey?
    ) {
        spc = built.spc
        payload = built.payload
        transactionID = built.transactionID
        self.origin = origin
        self.deviceHU = deviceHU
        self.reader = reader
        self.renewing = renewing
    }

    /// Calls `body` to process a response. If `body` succeeds, the request does not accept another response.
    func answer<Value>(_ body: () throws(FPSError) -> Value) throws(FPSError) -> Value {
        let isFirst = isAnswered.withLock { isAnswered in
            defer { isAnswered = true }
            return !isAnswered
        }
        guard isFirst else {
            throw .invalidCKC.because("the request already has a response")
        }
        do throws(FPSError) {
            return try body()
        } catch {
            isAnswered.withLock { $0 = false }
            throw error
        }
    }
}

/// The parameters of a request, which are sufficient to create another request for the same key.
struct KeyOrigin: Sendable {
    let certificate: [UInt8]
    let certificateHash: [UInt8]
    let assetID: [UInt8]
    let versions: [UInt32]
    let output: DeviceProfile.Output
    let session: FPSDevice.PlaybackSession
}
