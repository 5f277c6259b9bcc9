import Locking

/// An SPC, and what the device remembers in order to open the CKC that answers it. It is answered once.
public final class KeyRequest: Sendable {
    /// The SPC for the server.
    public let spc: [UInt8]
    /// The transaction ID in the SPC.
    public let transactionID: UInt64
    /// The playback that the key is for.
    public var session: FPSDevice.PlaybackSession { origin.session }
    /// The asset that was asked for.
    public var assetID: [UInt8] { origin.assetID }

    /// The SPC's payload before it was encrypted, for tools that show what was asked.
    package let payload: [UInt8]
    /// What opens the CKC, for tools that show what was answered.
    package var secrets: SessionSecrets { reader.secrets }

    let origin: KeyOrigin
    /// HU of the device that made it.
    let maker: [UInt8]
    let reader: StrictCKCReader
    /// The key that the answer renews.
    let renewing: DeviceKey?
    private let isAnswered = Lock(false)

    init(_ built: SPCBuilder.Result, origin: KeyOrigin, maker: [UInt8], reader: StrictCKCReader, renewing: DeviceKey?) {
        spc = built.spc
        payload = built.payload
        transactionID = built.transactionID
        self.origin = origin
        self.maker = maker
        self.reader = reader
        self.renewing = renewing
    }

    /// Runs `body` unless an answer has been taken already; the request counts as answered if `body` succeeds.
    func answer<Value>(_ body: () throws(FPSError) -> Value) throws(FPSError) -> Value {
        let isFirst = isAnswered.withLock { isAnswered in
            defer { isAnswered = true }
            return !isAnswered
        }
        guard isFirst else {
            throw .invalidCKC.because("the request has been answered")
        }
        do throws(FPSError) {
            return try body()
        } catch {
            isAnswered.withLock { $0 = false }
            throw error
        }
    }
}

/// What a request asked for: enough to ask again.
struct KeyOrigin: Sendable {
    let certificate: [UInt8]
    let certificateHash: [UInt8]
    let assetID: [UInt8]
    let versions: [UInt32]
    let output: DeviceProfile.Output
    let session: FPSDevice.PlaybackSession
}
