import ArgumentParser
import FPSCrypto
import FPSMessages
import KeyServerModule

/// `keyway policy`: commands for license policies.
struct PolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Check license policies.",
        subcommands: [PolicyCheckCommand.self]
    )
}

/// `keyway policy check`.
struct PolicyCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a policy, and show its requirements, what it allows, and how it appears in a CKC."
    )

    @Argument(help: "The policy, in JSON; - for standard input.")
    var file: String

    @Option(help: .init("The type of track that the policy applies to. (default: unspecified)", valueName: "kind"))
    var track: TrackArgument?

    @OptionGroup var output: JSONOption

    func run() throws {
        let policy = try PolicyFile.read(file, track: track.kind)
        var report = Report(kind: "policy", headline: "Policy \(policy.name ?? "(unnamed)"): valid")
        report.tables = [
            FieldTable(title: "Requirements", fields: requirements(policy)),
            FieldTable(title: "In the CKC", blocks: outcomes(policy)),
        ]
        report.notes = policy.permissiveSettings
        try ReportOptions.print(report, json: output.json)
    }

    private func requirements(_ policy: LicensePolicy) -> [Field] {
        var fields: [Field] = []
        func add(_ name: String, _ text: String?) {
            if let text { fields.append(Field(name, .text(text))) }
        }
        add("SPC age", policy.maximumSPCAge.map { "at most \($0)" } ?? "the server's default")
        add("before its key period", policy.preload.map { "from \($0) before" })
        add("after its key period", policy.catchUp.map { "until \($0) after" })
        add("SPC without a date", policy.undatedSPC == .allow ? "allowed" : "denied")
        /// Returns the text, with a note if the SPC must contain the report that the rule depends on.
        func rule(_ rule: LicensePolicy.ReportedRule, _ text: String) -> String {
            text + (policy.requiredReports.contains(rule) ? ", and the report is required" : "")
        }
        add("AirPlay", rule(.airplay, policy.airplay == .deny ? "denied" : "allowed"))
        add("digital AV adapter", rule(.adapter, policy.adapter == .deny ? "denied" : "allowed"))
        add("virtual machines", rule(.virtualMachines, policy.virtualMachines == .allow ? "allowed" : "denied"))
        add("security level", rule(.securityLevel, policy.securityLevel.map { $0.rawValue } ?? "any"))
        add("Kext Deny List", policy.minimumKDL.map { "\($0) or later; otherwise a Mac counts as Baseline" })
        add("HDCP", policy.hdcp?.rawValue ?? "not specified: the device enforces Type 0")
        for (device, version) in policy.osVersions.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            add("OS of \(device.rawValue)", rule(.osVersions, "\(version) or later"))
        }
        if !policy.osVersions.isEmpty || policy.securityLevel == .main {
            add("devices of an unknown class", policy.unclassifiedDevices == .allow ? "allowed" : "denied")
        }
        add("networks", policy.networks.map { $0.map(\.rawValue).joined(separator: ", ") } ?? "any")
        add("web origins", policy.origins.map { $0.map(\.rawValue).joined(separator: ", ") } ?? "any, also none")
        let others = policy.otherClients.map { $0 == .allow ? "receive the raw key" : "denied" }
        add("Clear Key and AES-128", others ?? "denied, unless another policy of the key allows them")
        add("streams at once", policy.streams.map { "at most \($0)" } ?? "any number")
        add("devices", policy.devices.map { "at most \($0)" } ?? "any number")
        if policy.rental != nil || policy.rentalLength != nil {
            add("rental begins", policy.rentalStart == .token ? "at the time in the token" : "with the first license")
            add("rental is bound", policy.bindRentalToDevice == true ? "to its first device" : "to no device")
        }
        if policy.persist != nil {
            add("after expiry", policy.renewAfterExpiry == false ? "not issued again" : "may be issued again")
        }
        return fields
    }

    /// Returns the resulting CKC terms for every type of request that the policy distinguishes.
    private func outcomes(_ policy: LicensePolicy) -> [FieldTable] {
        var always: [Field] = []
        if let level = policy.securityLevel { always.append(Field("security level", .named(level.wireValue))) }
        if let hdcp = policy.hdcp { always.append(Field("HDCP", .named(hdcp.wireValue))) }
        if always.isEmpty { always.append(Field("requirements", .text("none"))) }
        let every = FieldTable(title: "every key", heading: [Field("request", .text("every key"))], fields: always)
        return [every] + Outcome.all(policy).map { $0.table(policy, track.kind) }
    }
}

/// A type of request, and the terms that a policy results in for it, computed by the Key Server Module.
private struct Outcome: Sendable {
    let title: String
    let isPersistable: Bool
    var features: Set<Capabilities.Feature> = []

    /// Returns the types of requests that the policy distinguishes: only dual expiry depends on the device.
    static func all(_ policy: LicensePolicy) -> [Outcome] {
        let online = Outcome(title: "online key", isPersistable: false)
        guard case .dual? = policy.persist else {
            return [online, Outcome(title: "persistent key", isPersistable: true)]
        }
        let version1: Set<Capabilities.Feature> = [.offlineKey]
        let version2: Set<Capabilities.Feature> = [.offlineKey, .offlineKeyVersion2]
        return [
            online,
            Outcome(title: "persistent key, device with Offline Key 2", isPersistable: true, features: version2),
            Outcome(title: "persistent key, device with Offline Key 1", isPersistable: true, features: version1),
            Outcome(title: "persistent key, older device", isPersistable: true),
        ]
    }

    func table(_ policy: LicensePolicy, _ track: TrackKind) -> FieldTable {
        var table = FieldTable(title: title, heading: [Field("request", .text(title))])
        do {
            let terms = try terms(policy, track)
            table.fields = [Field("persistable", .flag(terms.isPersistable))]
            if let duration = terms.duration { table.fields += duration.fields }
            if let key = terms.offlineKey {
                // The IDs in this example are not those of the content.
                let isID = { (name: String) in name.hasSuffix(" ID") }
                table.fields += key.fields.filter { !isID($0.name) && $0.name != "reserved" }
            }
            if terms.duration == nil, terms.offlineKey == nil {
                table.fields.append(Field("duration", .text("no limit")))
            }
            table.fields += terms.notes.map { Field("note", .text($0.description)) }
        } catch {
            table.fields = [Field("refused", .text("\((error as? KSMError)?.reason ?? "\(error)")"))]
        }
        return table
    }

    private func terms(_ policy: LicensePolicy, _ track: TrackKind) throws -> KeyTerms {
        var random = SecureRandom()
        let assetID = AssetID([0, 0]).map { $0.block(using: &random).encoded } ?? []
        let capabilities = Capabilities(features).block(using: &random).encoded
        let request = try SPCRequest(TLLVSequence(parsing: Array(assetID + capabilities)))
        let id = [UInt8](repeating: 0, count: 16)
        let key = LicensedKey(key: SecretBytes(copying: id), iv: id)
        guard let content = key.flatMap({ Content(key: $0, track: track, streamID: id) }) else {
            throw CommandFailure.input("the policy cannot be evaluated: the example content is invalid")
        }
        return try KeyTerms(
            policy: policy,
            wantsPersistable: isPersistable,
            content: content,
            request: request,
            device: ReportedDevice(request)
        )
    }
}
