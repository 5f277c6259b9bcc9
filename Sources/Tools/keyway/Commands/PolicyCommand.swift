import ArgumentParser
import FPSCrypto
import FPSMessages
import KeyServerModule
import ToolSupport

/// `keyway policy`: commands for license policies.
struct PolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Check license policies, and list their fields.",
        subcommands: [PolicyCheckCommand.self, PolicyFieldsCommand.self]
    )
}

/// `keyway policy check`.
struct PolicyCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a policy, and show its requirements, what it allows, and how it appears in a CKC."
    )

    @Argument(help: "The policy, in JSON; - for standard input.")
    var file: InputPath

    @Option(
        name: .customLong("kind"),
        help: .init("The type of track that the policy applies to. (default: unspecified)", valueName: "kind")
    )
    var track: TrackArgument?

    @OptionGroup var output: JSONOption

    func run() throws {
        let policy = try PolicyFile.read(file.path, track: track.kind)
        var report = Report(kind: "policy", headline: "Policy \(policy.name ?? "(unnamed)"): valid")
        report.tables = [
            FieldTable(title: "Requirements", fields: policy.effects.map { Field($0.label, .text($0.text)) }),
            FieldTable(title: "In the CKC", blocks: outcomes(policy)),
        ]
        report.notes = policy.unprovenRules + policy.permissiveSettings
        try ReportOptions.print(report, json: output.json)
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
