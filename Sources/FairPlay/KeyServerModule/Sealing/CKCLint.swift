import ByteCoding
import FPSCrypto
import FPSMessages

/// The check before issuing, which decrypts a CKC with the session's secrets and compares its blocks with the intended
/// values.
struct CKCLint {
    let r1: SecretBytes
    let antiReplaySeed: AntiReplaySeed
    /// The playback state in the SPC; nil if it contains none.
    let playbackState: MediaPlaybackState.State?

    /// Checks a CKC.
    ///
    /// - Throws: `lint-failed`, naming what differs.
    func check(
        _ ckc: [UInt8],
        encryptedContentKey: EncryptedContentKey,
        terms: KeyTerms,
        returned: [TLLV]
    ) throws(KSMError) {
        let payload: CKCPayload
        do {
            let message = try CKCMessage(parsing: ckc)
            let key = try KSM.payloadKey(r1: r1, antiReplaySeed: antiReplaySeed)
            payload = try CKCPayload(parsing: AES128.decryptCBC(message.encryptedPayload, key: key, iv: message.iv))
        } catch {
            throw KSMError(.sealing, .lintFailed, "the CKC cannot be decrypted: \(error)")
        }
        let differences: [(String, Bool)] = [
            ("encrypted content key", payload.encryptedContentKey == encryptedContentKey),
            ("R1", SecretBytes(copying: payload.r1.bytes) == r1),
            ("content key duration", payload.contentKeyDuration == terms.duration),
            (
                "content key duration: the response to playback state 2 must contain one",
                playbackState != .playingOrPaused || payload.contentKeyDuration != nil
            ),
            ("offline key", payload.offlineKey == terms.offlineKey),
            ("returned blocks", payload.returned == returned),
            ("position of the returned blocks", Array(payload.blocks.suffix(returned.count)) == returned),
            ("padding", !payload.blocks.dropLast(returned.count).contains(where: \.hasUniformPadding)),
        ]
        if let (what, _) = differences.first(where: { !$0.1 }) {
            throw KSMError(.sealing, .lintFailed, "the CKC has the wrong \(what)")
        }
    }
}
