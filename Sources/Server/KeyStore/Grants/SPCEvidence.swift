/// What an SPC proves once the integrity of its [SK...R1] block is verified, whatever becomes of the request.
///
/// Nothing else in an SPC is authenticated: whoever carries it can make a block unknown by flipping one bit. So a store
/// remembers the message, to tell a changed copy of it, and what the device reported against itself, since the device's ID is
/// authenticated.
package struct SPCEvidence: Sendable, Equatable {
    /// The message.
    package var sighting: SPCSighting
    /// The device; nil where the SPC's ID is that of a digital AV adapter.
    package var device: DeviceHash?
    /// What this SPC reports against the device.
    package var report: DeviceReport
    /// What the decision about this request has taken into account: ``report``, and what the store told of earlier reports.
    package var considered: DeviceReport

    /// Makes the evidence of one SPC, with nothing considered beside its own report.
    package init(sighting: SPCSighting, device: DeviceHash?, report: DeviceReport) {
        self.sighting = sighting
        self.device = device
        self.report = report
        considered = report
    }
}

/// One SPC, remembered for its age window.
package struct SPCSighting: Sendable, Equatable {
    /// The size in bytes of both hashes. They are the beginning of a SHA-256: enough to tell messages apart, and half the room.
    package static let hashSize = 16

    /// The hash of the RSA block, 16 bytes. Nobody but the device can make another block for the same payload key.
    package let key: [UInt8]
    /// The hash of the whole message, 16 bytes.
    package let digest: [UInt8]
    /// When the SPC has become too old to be answered, in Unix seconds.
    package var expires: Int64

    /// Makes a sighting.
    package init(key: [UInt8], digest: [UInt8], expires: Int64) {
        self.key = key
        self.digest = digest
        self.expires = expires
    }
}

/// What a store made of a refusal.
package enum RefusalOutcome: Sendable, Equatable {
    /// The audit record is written, and the SPC remembered.
    case recorded
    /// Another message with the same RSA block was seen before, so that this one was changed on its way. The audit record says
    /// so instead.
    case tampered
}
