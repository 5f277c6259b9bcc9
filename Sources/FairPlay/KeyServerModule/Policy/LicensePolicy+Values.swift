// The values of the fields of a policy.

extension LicensePolicy {
    /// A rule that depends on a block of the SPC.
    public enum ReportedRule: String, Sendable, Hashable, CaseIterable {
        /// The rule for virtual machines, which depends on VM Device Information.
        case virtualMachines
        /// The rule for AirPlay, which depends on the Streaming Indicator, with a value of Table 2-5 or 0.
        case airplay
        /// The rule for the digital AV adapter, which depends on the same block.
        case adapter
        /// The rule for OS versions, which depends on a known class and an OS version in Device Identity or Device
        /// Info.
        case osVersions
        /// The rule for the security level, which depends on the Security Level Report. The capability bits are not
        /// sufficient.
        case securityLevel
    }

    /// A permission.
    public enum Permission: String, Sendable, Hashable, CaseIterable {
        /// Permitted.
        case allow
        /// Not permitted.
        case deny
    }

    /// The event that starts a rental.
    public enum RentalStart: String, Sendable, Hashable, CaseIterable {
        /// The first license; a later license does not restart the rental.
        case firstLicense
        /// The time in the token.
        case token
    }

    /// The HDCP type that outputs must have (Table 3-13).
    public enum HDCP: String, Sendable, Hashable, CaseIterable {
        /// HDCP is not required.
        case none
        /// Type 0.
        case type0
        /// Type 1, which only some devices can enforce.
        case type1
    }

    /// The security level that a device must have (Table 3-10).
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// Audio, for audio tracks.
        case audio
        /// AppleBaseline and Baseline, for video tracks.
        case baseline
        /// AppleMain and Main, for video tracks.
        case main
    }

    /// The durations of a persistent key for offline playback.
    public enum Persistence: Sendable, Hashable {
        /// The key never expires.
        case unlimited
        /// The key expires after this time from its issue; playback that has started can continue.
        case limited(Seconds)
        /// Dual expiry: the key expires after `storage` from its issue until first playback, and after `playback` from
        /// first playback; zero means no limit. A device that cannot enforce dual expiry gets a key that expires after
        /// `fallback`, or no key if `fallback` is nil.
        case dual(storage: Seconds, playback: Seconds, fallback: Seconds?)
    }

    /// The device classes for which a policy can set a minimum OS version.
    public enum AppleDevice: String, Sendable, Hashable, CaseIterable {
        /// Apple TV.
        case appleLiving
        /// iPhone, iPad and iPod touch.
        case appleMobile
        /// Mac.
        case appleDesktop
        /// Apple Vision Pro.
        case appleSpatial
        /// Apple Watch.
        case appleWatch
    }
}
