/// A reader that decrypts a CKC and checks it against all rules of the guide. It is stricter than a real device. For
/// example, a block that the guide does not define and that was not requested is an error, because it is usually a
/// wrong tag, whose restriction would silently not apply, and rarely a new kind of block.
package struct StrictCKCReader: Sendable {
    let secrets: SessionSecrets
    let returned: [UInt64: [UInt8]]
    let playbackState: UInt32?
    let receiver: CKCReceiver
    let isSyncSPC: Bool

    /// Creates a reader for the response to one SPC.
    ///
    /// - Parameters:
    ///   - secrets: the secrets in the SPC.
    ///   - returned: the blocks that the CKC must return, by tag: the whole blocks as sent.
    ///   - playbackState: the playback state in the SPC, a number of Table 4-2; nil if it contains none.
    ///   - receiver: the properties of the device.
    ///   - isSyncSPC: true if the SPC has a valid Sync block.
    package init(
        secrets: SessionSecrets,
        returned: [UInt64: [UInt8]],
        playbackState: UInt32?,
        receiver: CKCReceiver,
        isSyncSPC: Bool
    ) {
        self.secrets = secrets
        self.returned = returned
        self.playbackState = playbackState
        self.receiver = receiver
        self.isSyncSPC = isSyncSPC
    }

    /// The playback state in the SPC; nil if it contains none, or one that the guide does not define.
    var state: FPSDevice.PlaybackState? { playbackState.flatMap { FPSDevice.PlaybackState(rawValue: $0) } }

    /// Decrypts and checks the CKC.
    ///
    /// - Throws: ``FPSError/invalidCKC`` or ``FPSError/securityLevelTooLow``, with the reason.
    package func read(_ ckc: [UInt8]) throws(FPSError) -> ReceivedCKC { try CKCExamination(ckc, by: self).get() }
}
