public import FPSMessages

/// The terms for issuing a content key: a small document, stored by name, that content refers to.
///
/// Every field is optional; its documentation describes the meaning of a missing field. docs/policy.md describes the
/// whole document and lists the TLLV for each field.
public struct LicensePolicy: Sendable, Hashable {
    /// The name that the document is stored under: at most 64 lowercase letters, digits, `-`, `_` and `.`.
    public var name: String?
    /// The lease duration: the time for which playback can continue before the key must be renewed. Nil: no lease.
    public var lease: Seconds?
    /// The rental duration: the time within which playback can be started. Nil: no rental.
    public var rental: Seconds?
    /// The durations of a persistent key for offline playback. Nil: keys are not persistent.
    public var persist: Persistence?
    /// The HDCP type that outputs must have. Nil: the CKC has no HDCP TLLV, and the device enforces Type 0.
    public var hdcp: HDCP?
    /// The security level that the device must have. Nil: any level.
    public var securityLevel: Level?
    /// The lowest Kext Deny List version with which a Mac does not count as Baseline. Nil: the server's setting.
    public var minimumKDL: UInt32?
    /// The permission for virtual machines to get the key. Nil: deny.
    public var virtualMachines: Permission?
    /// The permission for playback through AirPlay. Nil: allow.
    public var airplay: Permission?
    /// The permission for playback through the Apple digital AV adapter. Nil: allow.
    public var adapter: Permission?
    /// The maximum age of an SPC. Nil: the server's setting.
    public var maximumSPCAge: Seconds?
    /// The permission for SPCs without a creation date. Nil: deny.
    public var undatedSPC: Permission?
    /// The minimum OS version for each class of device. A class without an entry can have any version.
    public var osVersions: [AppleDevice: OSVersion]
    /// The permission for devices that do not report a known class, if a rule depends on the class: ``osVersions``, or
    /// ``securityLevel`` with the value `main`. Nil: deny.
    public var unclassifiedDevices: Permission?
    /// The rules whose report an SPC must contain, so that an attacker gains nothing by damaging the block. Empty:
    /// blocks can be missing.
    public var requiredReports: Set<ReportedRule> = []
    /// The maximum number of concurrent streams of an account, 1 to 1,000; requires a lease. Nil: any number.
    public var streams: Int?
    /// The maximum number of devices of an account, 1 to 1,000. Nil: any number.
    public var devices: Int?
    /// The event that starts a rental. Nil: the first license.
    public var rentalStart: RentalStart?
    /// True if only the device of the first license can play a rental. Nil: any device can.
    public var bindRentalToDevice: Bool?
    /// True if an expired persistent key can be issued again. Nil: it can.
    public var renewAfterExpiry: Bool?
    /// The networks that clients must be in. Nil: any network. An empty list, which only a merge can produce, means
    /// that no client gets the key.
    public var networks: [IPNetwork]?
    /// The web origins that requests must have. Nil: any origin, or no origin. An empty list, which only a merge can
    /// produce, means that no client gets the key.
    public var origins: [WebOrigin]?
    /// The permission for Clear Key and AES-128 clients. Nil: deny, unless another of the merged policies allows.
    public var otherClients: Permission?
    /// The time before the start of its key period from which a key is issued, so that players have the key in time.
    /// Nil: zero.
    public var preload: Seconds?
    /// The time after the end of its key period until which a key is issued, for players that lag behind. Nil: zero.
    public var catchUp: Seconds?
    /// The time within which playback with an online key can be started, in addition to lease and rental; only merges
    /// and caps set it.
    package var onlineLimit: Seconds?
    /// True if a merge removed persistence, so that the policy still requires a playback state.
    var lostPersistence = false

    /// Creates a policy with these fields; ``validate(for:)`` checks for contradictions.
    public init(
        name: String? = nil,
        lease: Seconds? = nil,
        rental: Seconds? = nil,
        persist: Persistence? = nil,
        hdcp: HDCP? = nil,
        securityLevel: Level? = nil,
        minimumKDL: UInt32? = nil,
        virtualMachines: Permission? = nil,
        airplay: Permission? = nil,
        adapter: Permission? = nil,
        maximumSPCAge: Seconds? = nil,
        undatedSPC: Permission? = nil,
        osVersions: [AppleDevice: OSVersion] = [:],
        streams: Int? = nil,
        devices: Int? = nil,
        rentalStart: RentalStart? = nil,
        bindRentalToDevice: Bool? = nil,
        renewAfterExpiry: Bool? = nil,
        networks: [IPNetwork]? = nil,
        origins: [WebOrigin]? = nil,
        otherClients: Permission? = nil,
        preload: Seconds? = nil,
        catchUp: Seconds? = nil
    ) {
        self.name = name
        self.lease = lease
        self.rental = rental
        self.persist = persist
        self.hdcp = hdcp
        self.securityLevel = securityLevel
        self.minimumKDL = minimumKDL
        self.virtualMachines = virtualMachines
        self.airplay = airplay
        self.adapter = adapter
        self.maximumSPCAge = maximumSPCAge
        self.undatedSPC = undatedSPC
        self.osVersions = osVersions
        self.streams = streams
        self.devices = devices
        self.rentalStart = rentalStart
        self.bindRentalToDevice = bindRentalToDevice
        self.renewAfterExpiry = renewAfterExpiry
        self.networks = networks
        self.origins = origins
        self.otherClients = otherClients
        self.preload = preload
        self.catchUp = catchUp
    }

    /// The policy of content without a policy: streaming only, HDCP Type 0, no virtual machines.
    public static let `default` = LicensePolicy(name: "default", hdcp: .type0, virtualMachines: .deny)

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
