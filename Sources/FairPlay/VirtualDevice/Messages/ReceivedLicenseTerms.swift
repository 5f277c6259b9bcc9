/// The terms of a license that a CKC contains, for tools that compare them with what a playlist declares.
package struct ReceivedLicenseTerms: Sendable, Hashable {
    /// The HDCP level of the HDCP Enforcement block (Table 3-13).
    package enum OutputProtection: Sendable, Hashable {
        /// HDCP is not required.
        case none
        /// HDCP Type 0.
        case type0
        /// HDCP Type 1.
        case type1
    }

    /// The HDCP level; nil without the block, with which devices enforce Type 0.
    package let hdcp: OutputProtection?
    /// The name of the required security level: Audio, Baseline or Main (Table 3-10); nil without the block.
    package let securityLevel: String?
    /// The lease in seconds; 0 without a limit.
    package let lease: UInt32
    /// The time in seconds in which playback must start, with a key that is not persistent; 0 without a limit.
    package let rental: UInt32
    /// True if the key may be stored.
    package let isPersistable: Bool
    /// The time in seconds for which a persistent key can be stored before playback starts; 0 without a limit.
    package let storage: UInt32
    /// The time in seconds for which a persistent key can be used after playback started; 0 without a limit.
    package let playback: UInt32

    init(_ examiner: CKCExaminer) {
        hdcp = examiner.hdcp.map { level in
            switch level {
            case .none: .none
            case .type0: .type0
            case .type1: .type1
            }
        }
        securityLevel = examiner.securityLevel?.name
        let terms: DeviceKeyTerms =
            examiner.offlineKey.map { .dualExpiry($0) } ?? examiner.duration?.terms ?? .streaming(lease: 0, rental: 0)
        isPersistable = terms.isPersistable
        switch terms {
        case .streaming(let lease, let rental): (self.lease, self.rental, storage, playback) = (lease, rental, 0, 0)
        case .persistent(let validity): (lease, rental, storage, playback) = (0, 0, validity, 0)
        case .dualExpiry(let key):
            (lease, rental, storage, playback) = (0, 0, key.storageDuration, key.playbackDuration)
        }
    }
}

extension KeyRequest {
    /// Examines a CKC for the request, without using it up.
    package func examine(ckc: [UInt8]) -> CKCExamination { CKCExamination(ckc, by: reader) }
}
