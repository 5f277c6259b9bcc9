public import FPSMessages
import TextCoding

/// The terms for issuing a content key: a small document, stored by name, that content refers to.
///
/// Every field is optional; its documentation describes the meaning of a missing field. docs/policy.md describes the
/// whole document and lists the TLLV for each field.
///
/// To add a field, add a property, and its row to a table below; the order of the rows is the order in which the fields
/// are listed everywhere.
public struct LicensePolicy: Sendable, Hashable {
    /// The name that the document is stored under: at most 64 lowercase letters, digits, `-`, `_` and `.`.
    public var name: String?
    /// The HDCP type that outputs must have. Nil: the CKC has no HDCP TLLV, and the device enforces Type 0.
    public var hdcp: HDCP?
    /// The security level that the device must have. Nil: any level.
    public var securityLevel: Level?
    /// The lowest Kext Deny List version with which a Mac does not count as Baseline. Nil: the server's setting.
    public var minimumKDL: UInt32?
    /// The lease duration: the time for which playback can continue before the key must be renewed. Nil: no lease.
    public var lease: Seconds?
    /// The rental duration: the time within which playback can be started. Nil: no rental.
    public var rental: Seconds?
    /// The durations of a persistent key for offline playback. Nil: keys are not persistent.
    public var persist: Persistence?
    /// The event that starts a rental. Nil: the first license.
    public var rentalStart: RentalStart?
    /// True if only the device of the first license can play a rental. Nil: any device can.
    public var bindRentalToDevice: Bool?
    /// True if an expired persistent key can be issued again. Nil: it can.
    public var renewAfterExpiry: Bool?
    /// The time before the start of its key period from which a key is issued, so that players have the key in time.
    /// Nil: zero.
    public var preload: Seconds?
    /// The time after the end of its key period until which a key is issued, for players that lag behind. Nil: zero.
    public var catchUp: Seconds?
    /// The maximum number of concurrent streams of an account, 1 to 1,000; requires a lease. Nil: any number.
    public var streams: Int?
    /// The maximum number of devices of an account, 1 to 1,000. Nil: any number.
    public var devices: Int?
    /// The permission for playback through AirPlay. Nil: allow.
    public var airplay: Permission?
    /// The permission for playback through the Apple digital AV adapter. Nil: allow.
    public var adapter: Permission?
    /// The permission for virtual machines to get the key. Nil: deny.
    public var virtualMachines: Permission?
    /// The minimum OS version for each class of device. A class without an entry can have any version.
    public var osVersions: [AppleDevice: OSVersion] = [:]
    /// The permission for devices that do not report a known class, if a rule depends on the class: ``osVersions``, or
    /// ``securityLevel`` with the value `main`. Nil: deny.
    public var unclassifiedDevices: Permission?
    /// The maximum age of an SPC. Nil: the server's setting.
    public var maximumSPCAge: Seconds?
    /// The permission for SPCs without a creation date. Nil: deny.
    public var undatedSPC: Permission?
    /// The permission for Clear Key and AES-128 clients. Nil: deny, unless another of the merged policies allows.
    public var otherClients: Permission?
    /// The networks that clients must be in. Nil: any network. An empty list, which only a merge can produce, means
    /// that no client gets the key.
    public var networks: [IPNetwork]?
    /// The web origins that requests must have. Nil: any origin, or no origin. An empty list, which only a merge can
    /// produce, means that no client gets the key.
    public var origins: [WebOrigin]?

    /// The rules whose report an SPC must contain, so that an attacker gains nothing by damaging the block. Empty:
    /// blocks can be missing.
    public var requiredReports: Set<ReportedRule> = []
    /// The time within which playback with an online key can be started, in addition to lease and rental; only merges
    /// and caps set it.
    package var onlineLimit: Seconds?
    /// True if a merge removed persistence, so that the policy still requires a playback state.
    var lostPersistence = false

    /// Creates a policy without fields.
    init() {}
}

extension PolicyField {
    /// The rows of all fields, in the order in which they are listed.
    package static let all: [PolicyField] = [name] + requirements + times + accounts + devices + clients

    private static let name = PolicyField(
        "name",
        \.name,
        .name,
        "The name of the policy, which content refers to.",
        ifMissing: "the name under which it is stored",
        merging: PolicyMerge(text: "the names, joined with `+`", strictest: { left, right, _ in .joined(left, right) })
            .loosened { .joined($0, $1) ?? $1 }
    )
    .shown()

    private static let requirements: [PolicyField] = [
        PolicyField(
            "hdcp",
            \.hdcp,
            .choice(),
            "The HDCP type that outputs must have.",
            ifMissing: "no TLLV; the device enforces Type 0",
            merging: .strictest(
                "the strictest; from permissive to strict: `none`, missing, `type0`, `type1`",
                of: [.some(.none), nil, .type0, .type1]
            )
        )
        .shown("HDCP") { $0.hdcp?.rawValue ?? "not specified: the device enforces Type 0" }
        .unenforcedWithoutFairPlay { $0.hdcp == .type0 || $0.hdcp == .type1 }
        .opening { $0.unprotectedOutputs }
        .refusing { $0.hdcp == .type1 ? "devices that cannot enforce HDCP Type 1" : nil },
        PolicyField(
            "securityLevel",
            \.securityLevel,
            .choice(synonyms: ["appleBaseline": .baseline, "appleMain": .main]),
            "The security level that the device must have: `audio` for audio tracks, `baseline` or `main` for video tracks.",
            ifMissing: "any device",
            merging: .strictest("the highest", of: [nil, .audio, .baseline, .main])
        )
        .report(.securityLevel, setting: "securityLevel to main") { $0.securityLevel == .main }
        .problem { $0.levelProblem(for: $1) }
        .shown("security level") { $0.securityLevel?.rawValue ?? "any" }
        .unenforcedWithoutFairPlay { $0.securityLevel != nil }
        .opening { $0.securityLevel == nil ? "Devices of any security level get the key." : nil }
        .refusing { $0.securityLevel == .main ? "devices below the security level main" : nil },
        PolicyField(
            "minimumKDL",
            \.minimumKDL,
            .number(UInt32.min...UInt32.max, example: 31),
            "The lowest Kext Deny List version with which a Mac does not count as Baseline.",
            ifMissing: "the server's value, 31",
            merging: .highest { $0.minimumKDL }
        )
        .shown("Kext Deny List") { $0.minimumKDL.map { "\($0) or later; otherwise a Mac counts as Baseline" } },
    ]

    private static let times: [PolicyField] = [
        PolicyField(
            "lease",
            \.lease,
            .limit,
            "The time for which playback can continue until the app must renew the key.",
            ifMissing: "playback has no time limit",
            merging: .shortest()
        )
        .shown()
        .unenforcedWithoutFairPlay { $0.lease != nil }
        .opening { $0.endlessPlayback },
        PolicyField(
            "rental",
            \.rental,
            .limit,
            "The time within which playback can be started.",
            ifMissing: "the start of playback has no time limit",
            merging: .shortest()
        )
        .shown()
        .unenforcedWithoutFairPlay { $0.rental != nil && $0.rentalStart != .token },
        PolicyField(
            "persist",
            \.persist,
            .persistence,
            "The permission to store the key for offline playback, with its durations; `{}` stores it without a limit.",
            ifMissing: "keys cannot be stored",
            merging: PolicyMerge(
                text: "the strictest; from permissive to strict: unlimited, dual, limited, none",
                strictest: { left, right, _ in LicensePolicy.Persistence.strictest(left, right) }
            )
        )
        .problem { policy, _ in policy.persistenceProblem }
        .documentProblem { $0.documentPersistenceProblem }
        .shown()
        .unenforcedWithoutFairPlay { $0.onlineRental != nil }
        .opening { $0.persistentKeyWithoutEnd },
        PolicyField(
            "rentalStart",
            \.rentalStart,
            .choice(),
            """
            The start of a rental: the first license, or the time in the token. Requires `rental`, or a `persist` that \
            expires (`validity`, or `storage` and `playback`).
            """,
            ifMissing: "`firstLicense`",
            merging: .strictest(
                "`token` if one policy has that value",
                of: [.firstLicense, .token],
                missing: .firstLicense
            )
        )
        .documentProblem { $0.rentalStart == nil ? nil : $0.missingRental }
        .shown("rental begins") { policy in
            guard policy.isRental else { return nil }
            return policy.rentalStart == .token ? "at the time in the token" : "with the first license"
        },
        PolicyField(
            "bindRentalToDevice",
            \.bindRentalToDevice,
            .flag,
            """
            Whether only the device of the first license can play the rental, and not through a digital AV adapter \
            (`rental-needs-device`). Requires `rental`, or a `persist` that expires.
            """,
            ifMissing: "`false`",
            merging: .one(true)
        )
        .documentProblem { $0.bindRentalToDevice == true ? $0.missingRental : nil }
        .shown("rental is bound") { policy in
            guard policy.isRental else { return nil }
            return policy.bindRentalToDevice == true ? "to its first device" : "to no device"
        }
        .refusing { $0.bindRentalToDevice == true ? "other devices than the first one of a rental" : nil },
        PolicyField(
            "renewAfterExpiry",
            \.renewAfterExpiry,
            .flag,
            "Whether an expired persistent key can be issued again.",
            ifMissing: "`true`",
            merging: .one(false)
        )
        .shown("after expiry") { policy in
            guard policy.persist != nil else { return nil }
            return policy.renewAfterExpiry == false ? "not issued again" : "may be issued again"
        }
        .refusing { policy in
            policy.renewAfterExpiry == false && policy.persist != nil
                ? "persistent keys for accounts whose last one has expired" : nil
        },
        PolicyField(
            "preload",
            \.preload,
            .duration,
            "How long before the start of its key period a key can be issued.",
            ifMissing: "not before the period starts",
            merging: .shortest { _ in Seconds(rawValue: 0) }
        )
        .shown("before its key period") { $0.preload.map { "from \($0) before" } },
        PolicyField(
            "catchUp",
            \.catchUp,
            .duration,
            "How long after the end of its key period a key can be issued.",
            ifMissing: "not after the period ends",
            merging: .shortest { _ in Seconds(rawValue: 0) }
        )
        .shown("after its key period") { $0.catchUp.map { "until \($0) after" } },
    ]

    private static let accounts: [PolicyField] = [
        PolicyField(
            "streams",
            \.streams,
            .number(1...1000, example: 2),
            "The maximum number of concurrent streams of an account (slots). Requires `lease`.",
            ifMissing: "no limit",
            merging: .smallest
        )
        .problem { policy, _ in policy.slotProblem }
        .shown("streams at once") { $0.streams.map { "at most \($0)" } ?? "any number" }
        .unenforcedWithoutFairPlay { $0.streams != nil }
        .refusing { $0.streams.map { "more than \(counted($0, "concurrent stream")) of an account" } },
        PolicyField(
            "devices",
            \.devices,
            .number(1...1000, example: 5),
            "The maximum number of devices of an account.",
            ifMissing: "no limit",
            merging: .smallest
        )
        .shown("devices") { $0.devices.map { "at most \($0)" } ?? "any number" }
        .unenforcedWithoutFairPlay { $0.devices != nil }
        .opening { $0.unlimitedAccount }
        .refusing { $0.devices.map { "more than \(counted($0, "device")) of an account" } },
    ]

    private static let routeUnknown = "a request that does not report where the content is displayed"

    private static let devices: [PolicyField] = [
        PolicyField(
            "airplay",
            \.airplay,
            .choice(),
            "Playback through AirPlay.",
            ifMissing: "`allow`",
            merging: .deniedByOne
        )
        .report(.airplay, setting: "airplay to deny", passingWithout: routeUnknown) { $0.airplay == .deny }
        .shown("AirPlay") { $0.airplay == .deny ? "denied" : "allowed" }
        .unenforcedWithoutFairPlay { $0.airplay == .deny }
        .opening { $0.routes }
        .refusing { $0.airplay == .deny ? "AirPlay" : nil },
        PolicyField(
            "adapter",
            \.adapter,
            .choice(),
            "Playback through the Apple digital AV adapter.",
            ifMissing: "`allow`",
            merging: .deniedByOne
        )
        .report(.adapter, setting: "adapter to deny", passingWithout: routeUnknown) { $0.adapter == .deny }
        .shown("digital AV adapter") { $0.adapter == .deny ? "denied" : "allowed" }
        .unenforcedWithoutFairPlay { $0.adapter == .deny }
        .refusing { $0.adapter == .deny ? "the digital AV adapter" : nil },
        PolicyField(
            "virtualMachines",
            \.virtualMachines,
            .choice(),
            "Playback in virtual machines. A device that does not report whether it is one gets the key, unless the report is "
                + "required.",
            ifMissing: "`deny`",
            merging: .allowedByAll
        )
        .report(
            .virtualMachines,
            setting: "virtualMachines to deny",
            passingWithout: "a device that does not report whether it is a virtual machine"
        ) { $0.virtualMachines != .allow }
        .shown("virtual machines") { $0.virtualMachines == .allow ? "allowed" : "denied" }
        .opening { $0.virtualMachines == .allow ? "Virtual machines get the key." : nil }
        .refusing { $0.virtualMachines == .allow ? nil : "virtual machines" },
        PolicyField(
            "osVersions",
            \.minimumOSVersions,
            .versions,
            "The minimum OS version for each class of device.",
            ifMissing: "any version",
            merging: PolicyMerge(
                text: "the highest for each device",
                strictest: { left, right, _ in (left ?? [:]).merging(right ?? [:]) { max($0, $1) } }
            )
            .loosened { ($0 ?? [:]).merging($1) { $1 } }
        )
        .report(.osVersions, setting: "a minimum version in osVersions") { !$0.osVersions.isEmpty }
        .shown { policy in
            policy.osVersions.sorted { $0.key.rawValue < $1.key.rawValue }
                .map { PolicyEffect(label: "OS of \($0.key.rawValue)", text: "\($0.value) or later") }
        }
        .unenforcedWithoutFairPlay { !$0.osVersions.isEmpty }
        .refusing { policy in
            let versions = policy.osVersions.sorted { $0.key.rawValue < $1.key.rawValue }
            guard !versions.isEmpty else { return nil }
            return "OS versions before " + versions.map { "\($0.value) of \($0.key.rawValue)" }.joined(separator: ", ")
        },
        PolicyField(
            "unclassifiedDevices",
            \.unclassifiedDevices,
            .choice(),
            "Devices without a known class, if a rule depends on the class.",
            ifMissing: "`deny`",
            merging: .allowedByAll
        )
        .shown("devices of an unknown class") { policy in
            guard !policy.osVersions.isEmpty || policy.securityLevel == .main else { return nil }
            return policy.unclassifiedDevices == .allow ? "allowed" : "denied"
        }
        .refusing { policy in
            let isRelevant = !policy.osVersions.isEmpty || policy.securityLevel == .main
            return isRelevant && policy.unclassifiedDevices != .allow ? "devices of an unknown class" : nil
        },
        PolicyField(
            "maximumSPCAge",
            \.maximumSPCAge,
            .limit,
            "The maximum age of an SPC.",
            ifMissing: "the server's value, six hours",
            merging: .shortest { $0.maximumSPCAge }
        )
        .shown("SPC age") { $0.maximumSPCAge.map { "at most \($0)" } ?? "the server's default" }
        .refusing { $0.maximumSPCAge.map { "requests older than \($0)" } },
        PolicyField(
            "undatedSPC",
            \.undatedSPC,
            .choice(),
            "An SPC without a creation time.",
            ifMissing: "`deny`",
            merging: .allowedByAll
        )
        .shown("SPC without a date") { $0.undatedSPC == .allow ? "allowed" : "denied" }
        .opening { policy in
            policy.undatedSPC == .allow
                ? "A request without a creation date is accepted, no matter how old it is." : nil
        }
        .refusing { $0.undatedSPC == .allow ? nil : "requests without a creation date" },
    ]

    private static let clients: [PolicyField] = [
        PolicyField(
            "otherClients",
            \.otherClients,
            .choice(),
            "Clear Key and AES-128 clients, which receive the unprotected key.",
            ifMissing: "`deny`, unless another policy of the key allows them",
            merging: .strictest(
                "`deny` if one denies; otherwise `allow` if one allows; missing (no key) if it is missing in all",
                of: [nil, .allow, .deny]
            )
            // A raw key cannot be revoked once it is issued, so a policy that denies it cannot be loosened.
            .loosened { $0 == .deny ? .deny : $1 }
        )
        .shown("Clear Key and AES-128") { policy in
            policy.otherClients.map { $0 == .allow ? "receive the raw key" : "denied" }
                ?? "denied, unless another policy of the key allows them"
        }
        .opening { $0.rawKey }
        .refusing { $0.otherClients == .deny ? "Clear Key and AES-128 clients" : nil },
        PolicyField(
            "networks",
            \.networks,
            .list(
                "networks in CIDR notation, IPv4 and IPv6; an empty list means any",
                of: "a network such as 192.0.2.0/24 or 2001:db8::/32",
                examples: ["192.0.2.0/24", "2001:db8::/32"]
            ),
            "The networks that the client must be in.",
            ifMissing: "any network",
            merging: .common { $0.intersection($1).outermost }
        )
        .shown("networks") { $0.networks.map { $0.map(\.rawValue).joined(separator: ", ") } ?? "any" }
        .refusing { $0.networks == nil ? nil : "clients outside of the networks" },
        PolicyField(
            "origins",
            \.origins,
            .list(
                "web origins, exactly as browsers send them; an empty list means any",
                of: "a web origin such as https://play.example.com",
                examples: ["https://play.example.com"]
            ),
            "The web origins that requests must have.",
            ifMissing: "any origin, or none",
            merging: .common { left, right in Set(left.filter(right.contains)).sorted { $0.rawValue < $1.rawValue } }
        )
        .shown("web origins") { $0.origins.map { $0.map(\.rawValue).joined(separator: ", ") } ?? "any, also none" }
        .refusing { $0.origins == nil ? nil : "apps, and web pages of other origins" },
    ]
}

extension LicensePolicy {
    /// The minimum OS versions; nil if there are none.
    fileprivate var minimumOSVersions: [AppleDevice: OSVersion]? {
        get { osVersions.isEmpty ? nil : osVersions }
        set { osVersions = newValue ?? [:] }
    }
}
