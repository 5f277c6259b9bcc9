/// The facts that an SPC proves once the integrity of its [SK...R1] block is verified, whatever the result of the
/// request.
///
/// Nothing else in an SPC is authenticated: anyone who forwards an SPC can make a block unknown by flipping one bit. A
/// store therefore stores a fingerprint of the message, to detect a changed copy, and the facts that the device
/// reported against itself, because the device's ID is authenticated.
package struct SPCEvidence: Sendable, Equatable {
    /// The fingerprint of the message.
    package var sighting: SPCFingerprint
    /// The device; nil if the SPC contains the ID of a digital AV adapter.
    package var device: DeviceHash?
    /// The facts that this SPC reports against the device.
    package var report: DeviceReport
    /// The facts that the decision on this request took into account: ``report``, and earlier reports from the store.
    package var considered: DeviceReport

    /// Creates the evidence of one SPC, with only its own report considered.
    package init(sighting: SPCFingerprint, device: DeviceHash?, report: DeviceReport) {
        self.sighting = sighting
        self.device = device
        self.report = report
        considered = report
    }
}

/// The fingerprint of one SPC, stored for the SPC's age window.
package struct SPCFingerprint: Sendable, Equatable {
    /// The size of both hashes, in bytes. They are truncated SHA-256 hashes, which are long enough to distinguish
    /// messages and halve the storage.
    package static let hashSize = 16

    /// The hash of the RSA block, 16 bytes. Only the device can create another block for the same payload key.
    package let key: [UInt8]
    /// The hash of the whole message, 16 bytes.
    package let digest: [UInt8]
    /// The time when the SPC is too old to be answered, in Unix seconds.
    package var expires: Int64

    /// Creates a fingerprint.
    package init(key: [UInt8], digest: [UInt8], expires: Int64) {
        self.key = key
        self.digest = digest
        self.expires = expires
    }
}

/// The store's result of recording a refusal.
package enum RefusalOutcome: Sendable, Equatable {
    /// The audit record and the fingerprint of the SPC are stored.
    case recorded
    /// Another message with the same RSA block was received before, so this message was changed in transit. The audit
    /// record has this outcome instead.
    case tampered
}
