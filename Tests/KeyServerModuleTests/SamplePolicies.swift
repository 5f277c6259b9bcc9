import FPSMessages

@testable import KeyServerModule

/// Policies that differ in every field, for properties that must hold for all policies.
enum SamplePolicies {
    static func seconds(_ count: UInt32) -> Seconds { Seconds(rawValue: count) }

    static func dual(_ storage: UInt32, _ playback: UInt32, _ fallback: UInt32? = nil) -> LicensePolicy.Persistence {
        .dual(storage: seconds(storage), playback: seconds(playback), fallback: fallback.map(seconds))
    }

    static func networks(_ texts: String...) -> [IPNetwork] { texts.compactMap { IPNetwork(rawValue: $0) } }

    static func origins(_ texts: String...) -> [WebOrigin] { texts.compactMap { WebOrigin(rawValue: $0) } }

    /// The policies with durations and persistence.
    static let durations: [LicensePolicy] = [
        LicensePolicy(name: "nothing"),
        LicensePolicy(name: "lease", lease: seconds(600)),
        LicensePolicy(name: "short-lease", lease: seconds(60), streams: 2),
        LicensePolicy(name: "rental", rental: seconds(1000), rentalStart: .token),
        LicensePolicy(name: "both", lease: seconds(300), rental: seconds(5000), bindRentalToDevice: true),
        LicensePolicy(name: "unlimited", persist: .unlimited),
        LicensePolicy(name: "unlimited-lease", lease: seconds(600), persist: .unlimited, renewAfterExpiry: false),
        LicensePolicy(name: "limited", persist: .limited(seconds(700))),
        LicensePolicy(name: "limited-lease", lease: seconds(500), persist: .limited(seconds(9000))),
        LicensePolicy(name: "limited-rental", rental: seconds(8000), persist: .limited(seconds(2000))),
        LicensePolicy(name: "dual", persist: dual(3000, 200)),
        LicensePolicy(name: "dual-fallback", persist: dual(100, 1500, 1600)),
        LicensePolicy(name: "dual-endless-storage", persist: dual(0, 400, 90), rentalStart: .firstLicense),
        LicensePolicy(name: "dual-endless-playback", persist: dual(50, 0, 40)),
        LicensePolicy(name: "dual-endless", persist: dual(0, 0, 7)),
    ]

    /// The policies that restrict devices and clients.
    static let demands: [LicensePolicy] = [
        LicensePolicy(name: "none", hdcp: LicensePolicy.HDCP.none, otherClients: .allow),
        LicensePolicy(name: "type0", hdcp: .type0, otherClients: .deny),
        LicensePolicy(name: "type1", hdcp: .type1, otherClients: .allow),
        LicensePolicy(name: "audio", securityLevel: .audio, undatedSPC: .allow),
        LicensePolicy(name: "baseline", securityLevel: .baseline, adapter: .deny),
        LicensePolicy(name: "main", securityLevel: .main, minimumKDL: 30, airplay: .deny),
        LicensePolicy(name: "main-kdl", securityLevel: .main, minimumKDL: 31, airplay: .allow, devices: 3),
        LicensePolicy(name: "old-spc", maximumSPCAge: seconds(9 * 3600), preload: seconds(300), catchUp: seconds(0)),
        LicensePolicy(name: "live", preload: seconds(60), catchUp: seconds(7200)),
        LicensePolicy(name: "new-spc", virtualMachines: .allow, maximumSPCAge: seconds(60), undatedSPC: .deny),
        LicensePolicy(name: "os", virtualMachines: .allow, osVersions: [.appleMobile: OSVersion(18)], devices: 7),
        LicensePolicy(
            name: "newer-os",
            osVersions: [.appleMobile: OSVersion(26), .appleDesktop: OSVersion(15)],
            networks: networks("10.0.0.0/9", "10.128.0.0/9", "2001:db8::/32"),
            origins: origins("https://a.example", "https://b.example")
        ),
        LicensePolicy(name: "ten", networks: networks("10.0.0.0/8", "10.1.0.0/16")),
        LicensePolicy(
            name: "single",
            networks: networks("10.1.2.3", "192.0.2.0/24"),
            origins: origins("https://b.example")
        ),
        LicensePolicy(name: "elsewhere", networks: networks("192.0.2.128/25"), origins: origins("https://c.example")),
    ]

    /// All sample policies, including some with both.
    static let all: [LicensePolicy] =
        durations + demands + [
            .default,
            LicensePolicy(
                name: "mixed",
                lease: seconds(90),
                persist: .limited(seconds(450)),
                hdcp: .type1,
                securityLevel: .main,
                streams: 1,
                devices: 2
            ),
        ]

    /// Devices and playback states that the rules distinguish.
    static func questions() throws -> [(request: SPCRequest, address: String?, origin: String?)] {
        let side = VMDeviceInformation.Side(deviceClass: .appleDesktop, osVersion: OSVersion(15), protocolVersion: 1)
        let main = Capabilities([.hdcpEnforcement, .securityLevelMain, .offlineKey, .offlineKeyVersion2])
        let baseline = Capabilities([.securityLevelBaseline, .offlineKey])
        let devices: [[any TLLVContent]] = [
            [playback(), main, identity(.appleMobile)],
            [playback(), main, identity(.appleMobile, OSVersion(18))],
            [playback(), baseline, identity(.appleMobile, OSVersion(15))],
            [playback(), Capabilities([])],
            [playback(age: 3600), main],
            [playback(age: 8 * 3600), main],
            [playback(.playingOrPaused), main],
            [playback(.halted), main],
            [main],
            [playback(), main, StreamingIndicator.airPlay],
            [playback(), main, StreamingIndicator.digitalAVAdapter],
            [playback(), main, VMDeviceInformation(isVirtualMachine: true, host: side, guest: side)],
            [playback(), main, identity(.appleDesktop), KextDenyListVersion(30)],
            [playback(), main, identity(.appleDesktop), KextDenyListVersion(31)],
        ]
        let places: [(String?, String?)] = [
            (nil, nil), ("10.1.2.3", nil), ("10.200.0.1", "https://a.example"), ("10.1.2.3", "https://b.example"),
            ("192.0.2.130", "https://b.example"), ("192.0.2.130", "https://c.example"),
            ("2001:db8::1", "https://b.example"),
        ]
        return try devices.flatMap { contents in
            let request = try request(contents)
            return places.map { (request, $0.0, $0.1) }
        }
    }

    /// Returns the first refusal, or nil.
    static func refusal(
        _ policy: LicensePolicy,
        _ question: (request: SPCRequest, address: String?, origin: String?),
        _ configuration: KSM.Configuration = .init()
    ) -> KSMError? {
        let question = LicenseCheckInput(
            policy: policy,
            track: .unspecified,
            request: question.request,
            device: ReportedDevice(question.request),
            configuration: configuration,
            now: TestKeys.creationDate,
            remoteAddress: question.address,
            origin: question.origin
        )
        for check in LicenseChecks.all {
            if case .refuse(let error) = check.decide(question) { return error }
        }
        return nil
    }
}

/// The limits of a key, in seconds; nil means no limit.
struct GrantedTime {
    /// The time from one response to the next.
    var lease: UInt32?
    /// The time within which playback with an online key can be started.
    var rental: UInt32?
    /// The storage and playback durations of a persistent key; nil together with `isPersistent` means no limit.
    var storage: UInt32?
    var playback: UInt32?
    var isPersistent: Bool

    init(_ terms: KeyTerms) {
        isPersistent = terms.isPersistable
        switch terms.duration?.keyType {
        case ContentKeyDuration.KeyType.lease: lease = terms.duration?.lease
        case ContentKeyDuration.KeyType.rental: rental = terms.duration?.rental
        case ContentKeyDuration.KeyType.leaseAndRental:
            (lease, rental) = (terms.duration?.lease, terms.duration?.rental)
        case ContentKeyDuration.KeyType.persistLimited:
            (storage, playback) = (terms.duration?.rental, terms.duration?.rental)
        default: break
        }
        // Zero means no limit for the type rental, and in an Offline Key.
        if rental == 0 { rental = nil }
        if let key = terms.offlineKey {
            storage = key.storage == 0 ? nil : key.storage
            playback = key.playback == 0 ? nil : key.playback
        }
    }

    /// Returns whether this grants no more than the other. A key that is not persistent is compared only with online
    /// keys.
    func isWithin(_ other: GrantedTime) -> Bool {
        func holds(_ mine: UInt32?, _ theirs: UInt32?) -> Bool {
            theirs.map { theirs in mine.map { $0 <= theirs } ?? false } ?? true
        }
        return isPersistent
            ? other.isPersistent && holds(storage, other.storage) && holds(playback, other.playback)
            : holds(lease, other.lease) && holds(rental, other.rental)
    }
}
