package import KeyServerModule

/// The policies of the tests.
extension LicensePolicy {
    /// A lease, in seconds.
    package static func leased(_ seconds: UInt32) -> LicensePolicy {
        LicensePolicy(lease: Seconds(rawValue: seconds), hdcp: .type0)
    }

    /// A rental, in seconds.
    package static func rented(_ seconds: UInt32) -> LicensePolicy {
        LicensePolicy(rental: Seconds(rawValue: seconds), hdcp: .type0)
    }

    /// A persistable key without Offline Key TLLV, which ends after some seconds.
    package static func persistent(_ seconds: UInt32) -> LicensePolicy {
        LicensePolicy(persist: .limited(Seconds(rawValue: seconds)), hdcp: .type0)
    }

    /// A persistable key with storage and playback durations, in seconds; 0 means unlimited.
    package static func dual(storage: UInt32, playback: UInt32) -> LicensePolicy {
        LicensePolicy(
            persist: .dual(storage: Seconds(rawValue: storage), playback: Seconds(rawValue: playback), fallback: nil),
            hdcp: .type0
        )
    }

    /// A key that requires HDCP Type 1.
    package static let highHDCP = LicensePolicy(hdcp: .type1)
    /// A key for devices with the security level Main.
    package static let mainLevel = LicensePolicy(hdcp: .type0, securityLevel: .main)
}
