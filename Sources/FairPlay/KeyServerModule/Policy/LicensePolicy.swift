public import FPSMessages

/// The terms on which a content key is given: a small document, stored by name, that content refers to.
///
/// Every field is optional. What a missing one means stands beside it; docs/policy.md has the whole document, and the
/// table of which field becomes which TLLV.
public struct LicensePolicy: Sendable, Hashable {
    /// What the document is stored under. Lower-case letters, digits, `-`, `_` and `.`; at most 64.
    public var name: String?
    /// How long playback may go on before the key must be renewed. Nil: no lease.
    public var lease: Seconds?
    /// How long playback may be started. Nil: no rental.
    public var rental: Seconds?
    /// Whether the key may be kept for offline playback. Nil: it may not.
    public var persist: Persistence?
    /// The HDCP type that outputs must have. Nil: no TLLV, and the device enforces Type 0.
    public var hdcp: HDCP?
    /// The security level that the device must have. Nil: any.
    public var securityLevel: Level?
    /// The Kext Deny List version below which a Mac counts as Baseline. Nil: the server's own.
    public var minimumKDL: UInt32?
    /// Whether virtual machines get the key. Nil: deny.
    public var virtualMachines: Permission?
    /// Whether AirPlay gets the key. Nil: allow.
    public var airplay: Permission?
    /// Whether the Apple digital AV adapter gets the key. Nil: allow.
    public var adapter: Permission?
    /// How old an SPC may be. Nil: the server's own window.
    public var maximumSPCAge: Seconds?
    /// Whether an SPC that does not say when it was made gets the key. Nil: deny.
    public var undatedSPC: Permission?
    /// The oldest operating system that gets the key, by class of device. A class without an entry may have any.
    public var osVersions: [AppleDevice: OSVersion]
    /// Whether a device gets the key that names no class which is known, where a rule is about classes: ``osVersions``, and
    /// ``securityLevel`` of `main`. Nil: deny.
    public var unclassifiedDevices: Permission?
    /// The rules whose report an SPC must hold, so that damaging the block gains nothing. Empty: a missing block is allowed.
    public var requiredReports: Set<ReportedRule> = []
    /// How many places of an account may hold a key at once, 1 to 1,000; needs a lease. Nil: any number.
    public var streams: Int?
    /// How many devices an account may have, 1 to 1,000. Nil: any number.
    public var devices: Int?
    /// When a rental begins. Nil: with the first license.
    public var rentalStart: RentalStart?
    /// Whether only the device of the first license may play a rental. Nil: any device may.
    public var bindRentalToDevice: Bool?
    /// Whether a kept key that has run out may be given again. Nil: it may.
    public var renewAfterExpiry: Bool?
    /// The networks that clients must be in. Nil: any. None at all, which only a merge comes to: nobody gets the key.
    public var networks: [IPNetwork]?
    /// The web origins that requests must come from. Nil: any, also none. None at all, which only a merge comes to:
    /// nobody gets the key.
    public var origins: [WebOrigin]?
    /// Whether Clear Key and AES-128 clients get the key. Nil: deny, unless another policy that is merged allows.
    public var otherClients: Permission?
    /// How long before its key period begins a key is given, so that players have it in time. Nil: not before.
    public var preload: Seconds?
    /// How long after its key period a key is still given, to players that are behind. Nil: not after.
    public var catchUp: Seconds?
    /// How long playback of an online key may be started, beside lease and rental; only merges and caps set it.
    package var onlineLimit: Seconds?
    /// Whether a merged policy had persistence, which needs a playback state, and lost it.
    var hadPersistence = false

    /// Makes a policy of these fields; contradictions are found by ``validate(for:)``.
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

    /// What content gets that names no policy: streaming only, HDCP Type 0, no virtual machines.
    public static let `default` = LicensePolicy(name: "default", hdcp: .type0, virtualMachines: .deny)

    /// A rule that a block of the SPC decides.
    public enum ReportedRule: String, Sendable, Hashable, CaseIterable {
        /// VM Device Information.
        case virtualMachines
        /// The Streaming Indicator, with a value of Table 2-5 or 0.
        case airplay
        /// The same.
        case adapter
        /// A class that is known and an OS version, of Device Identity or Device Info.
        case osVersions
        /// The Security Level Report. The capability bits do not do for it.
        case securityLevel
    }

    /// Whether something is permitted.
    public enum Permission: String, Sendable, Hashable, CaseIterable {
        /// It is.
        case allow
        /// It is not.
        case deny
    }

    /// When a rental begins.
    public enum RentalStart: String, Sendable, Hashable, CaseIterable {
        /// With the first license; asking again does not restart it.
        case firstLicense
        /// When the token says.
        case token
    }

    /// The HDCP type that outputs must have (Table 3-13).
    public enum HDCP: String, Sendable, Hashable, CaseIterable {
        /// None.
        case none
        /// Type 0.
        case type0
        /// Type 1; only for devices that can enforce it.
        case type1
    }

    /// The security level that a device must have (Table 3-10).
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// For audio tracks.
        case audio
        /// AppleBaseline and Baseline; for video.
        case baseline
        /// AppleMain and Main; for video.
        case main
    }

    /// How long a key may be kept for offline playback.
    public enum Persistence: Sendable, Hashable {
        /// For ever.
        case unlimited
        /// For this long from the day it was given; playback that has begun goes on.
        case limited(Seconds)
        /// Dual expiry: `storage` from acquisition until first play, `playback` from there; zero is no limit. A device
        /// that cannot enforce it gets a key limited to `fallback`, or none where that is nil.
        case dual(storage: Seconds, playback: Seconds, fallback: Seconds?)
    }

    /// The devices that a minimum OS version can be set for.
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
