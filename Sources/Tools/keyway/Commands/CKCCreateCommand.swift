import ArgumentParser
import FPSCrypto
import FPSMessages
import FileWriting
import Foundation
import KeyServerModule
import TextCoding
import ToolSupport

/// `keyway ckc create`.
struct CKCCreateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create the CKC for an SPC, as a key server would.",
        discussion: """
            --certificate, --private-key, and a source of DASk are required: --dask or --ask, or --plugin with an \
            optional --ask. With --dask or --ask, the server uses development credentials; with --plugin, production \
            credentials.

            The policy is enforced as on the server: if it refuses the request, the command prints the reason and \
            exits with code 1. Without --policy, the default policy applies: streaming only, HDCP Type 0, and no \
            virtual machines.
            """
    )

    @Option(help: .init("The SPC, in binary or base64; - for standard input.", valueName: "file"))
    var spc: InputPath

    @OptionGroup(title: "Keys") var opening: OpeningOptions

    @Option(help: .init("The content key, 16 bytes.", valueName: "hex|@file"))
    var key: HexArgument

    @Option(help: .init("The IV of the content key, 16 bytes.", valueName: "hex|@file"))
    var iv: HexArgument

    @Option(help: .init("The license policy, in JSON. (default: the default policy)", valueName: "file"))
    var policy: InputPath?

    @Option(
        name: .customLong("kind"),
        help: .init("The type of track that the key is for. (default: unspecified)", valueName: "kind")
    )
    var track: TrackArgument?

    @Option(
        name: .customLong("stream-id"),
        help: .init(
            "The stream ID of offline keys, 16 bytes; required for keys with dual expiry. (default: "
                + "none)",
            valueName: "hex"
        )
    )
    var streamID: HexArgument?

    @Option(
        name: .customLong("title-id"),
        help: .init("The title ID of offline keys, 16 bytes. (default: none)", valueName: "hex")
    )
    var titleID: HexArgument?

    @Flag(help: "Request a persistent key; the policy decides whether the device may store it.")
    var persistable = false

    @Flag(
        name: .customLong("allow-any-age"),
        help: .init(
            "Accept an SPC of any age, or without a creation date. (default: at most 6 hours old, "
                + "unless the policy sets maximumSPCAge)"
        )
    )
    var allowsAnyAge = false

    @Option(
        name: .customLong("protocol-versions"),
        help: .init("The protocol versions that the server supports, separated by commas.", valueName: "versions")
    )
    var serverVersions = ProtocolVersionList([1])

    @Option(
        help: .init(
            "The file for the CKC; - for standard output. --json requires a file. (default: standard "
                + "output)",
            valueName: "file"
        )
    )
    var out: OutputPath?

    @OptionGroup var output: JSONOption

    func validate() throws {
        guard opening.key.privateKeyFile != nil, opening.certificateFile != nil else {
            throw ValidationError("--certificate and --private-key are required.")
        }
        try opening.requireDASk()
        if output.json, out == nil || out?.path == "-" {
            throw ValidationError(
                "--json requires --out FILE: standard output cannot carry both the CKC and the report."
            )
        }
    }

    func run() throws {
        let content = try content()
        let policy = try self.policy.map { try PolicyFile.read($0.path, track: track.kind) } ?? .default
        let module = try module()
        let bytes = try MessageFile.read(spc.path, as: .spc, allowsVersion3: opening.plugin != nil)
        let opened: OpenedSPC
        let license: License
        do {
            opened = try module.open(bytes)
            license = try module.license(
                for: opened,
                content: content,
                policy: policy,
                wantsPersistable: persistable,
                at: Int64(Date().timeIntervalSince1970)
            )
        } catch {
            throw Self.refusal(error)
        }
        try OutputFile.writeMessage(license.ckc, to: out?.path)
        try report(license, opened, policy)
    }

    private func content() throws -> Content {
        let key = LicensedKey(
            key: try key.secret(16, option: "--key"),
            iv: try iv.bytes(16, option: "--iv")
        )
        let content = try key.flatMap { key in
            Content(
                key: key,
                track: track.kind,
                streamID: try streamID.map { try $0.bytes(16, option: "--stream-id") },
                titleID: try titleID.map { try $0.bytes(16, option: "--title-id") }
            )
        }
        guard let content else { throw CommandFailure.usage("--key and --iv: expected 16 bytes each") }
        return content
    }

    private func module() throws -> KSM {
        let credentials = try opening.credentials()
        guard let certificate = credentials.certificate, let privateKey = credentials.privateKey,
            let derivation = credentials.derivation
        else {
            throw CommandFailure.usage(
                "--certificate, --private-key, and one of --dask, --ask, and --plugin are required"
            )
        }
        var configuration = KSM.Configuration()
        configuration.protocolVersions = Set(serverVersions.values)
        if allowsAnyAge { configuration.maximumSPCAge = nil }
        configuration.checksBeforeIssuing = true
        do {
            let bundle = try CertificateBundle(
                name: "command-line",
                kind: opening.plugin == nil ? .development : .production,
                certificate: certificate,
                privateKey: privateKey,
                derivation: derivation,
                wholeSPC: credentials.wholeSPC
            )
            return try KSM(bundles: [bundle], configuration: configuration)
        } catch {
            throw CommandFailure.input(
                "these credentials cannot be used: \(error.reason)",
                next: "run keyway certificate check to find out why"
            )
        }
    }

    private static func refusal(_ error: KSMError) -> CommandFailure {
        let next: String? =
            switch error.code {
            case .spcTooOld, .spcDateInFuture: "give --allow-any-age to accept it"
            case .unknownCertificate: "give the certificate that the app uses with --certificate"
            case .versionMismatch, .versionDowngrade:
                "set the versions that the server supports with --protocol-versions"
            case .streamIDMissing: "give --stream-id"
            case .integrityMismatch: "check --ask, --dask, or the plug-in"
            default: error.stage == .policy ? nil : "run keyway spc inspect to see which part cannot be read"
            }
        return .input("no CKC: \(error.reason) (\(error.code))", next: next)
    }

    private func report(_ license: License, _ opened: OpenedSPC, _ policy: LicensePolicy) throws {
        let notes = license.notes.map(\.description)
        guard let out, out.path != "-" else {
            for note in notes { Terminal.writeError("note: \(escaped(note))") }
            return
        }
        var report = Report(
            kind: "license",
            headline: "CKC of \(counted(license.ckc.count, "byte")) in \(escaped(out.path))"
        )
        let terms = [
            Field("policy", .text(policy.name ?? "unnamed")),
            Field("persistable", .flag(license.terms.isPersistable)),
            Field("dual expiry", .flag(license.terms.hasDualExpiry)),
        ]
        report.tables = [FieldTable(title: "License", fields: opened.request.assetID.fields + terms)]
        if let duration = license.terms.duration {
            report.tables.append(FieldTable(title: "Content key duration", fields: duration.fields))
        }
        if let offlineKey = license.terms.offlineKey {
            report.tables.append(FieldTable(title: "Offline key", fields: offlineKey.fields))
        }
        report.notes = notes
        try ReportOptions.print(report, json: output.json)
    }
}
