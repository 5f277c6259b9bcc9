import ArgumentParser
import DRMSignaling
import FPSCrypto
import Foundation
import KeyServer
import KeyStore

/// `keys add`.
struct KeysAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a content key, or replace one.",
        discussion: """
            A key is either separate, with its own --asset; or it is a key period of a track, with --title, --track \
            and --key-id. A key period uses the track's stream ID and the title's title ID, and its asset ID is the \
            part after skd:// in the key URI, by default the key ID.
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(help: "The asset ID that SPCs contain: text, or 0x and hexadecimal digits; 2 to 200 bytes.")
    var asset: AssetArgument?
    @Option(help: ArgumentHelp("The content key, 16 bytes; @FILE reads it from a file.", valueName: "hex"))
    var key: SecretArgument
    @Option(help: ArgumentHelp("The IV that the samples are encrypted with, 16 bytes.", valueName: "hex"))
    var iv: HexArgument
    @Option(help: ArgumentHelp("The title that a key period belongs to.", valueName: "name"))
    var title: String?
    @Option(
        help: ArgumentHelp(
            "With --title, the name of the key period's track; without --title, the kind "
                + "of content that the key decrypts: audio, video, sd, hd or uhd.",
            valueName: "name|kind"
        )
    )
    var track: String?
    @Option(help: ArgumentHelp("The start of the key's use: ISO 8601, or Unix seconds.", valueName: "time"))
    var validFrom: TimeArgument?
    @Option(help: ArgumentHelp("The end of the key's use, when another key replaces it.", valueName: "time"))
    var validUntil: TimeArgument?
    @Option(
        help: ArgumentHelp(
            "The name of a stored policy, or a JSON file, which is stored under its own name or the "
                + "file's. The default is the policies of title and track, or the policy named default.",
            valueName: "name|file"
        )
    )
    var policy: String?
    @Option(help: ArgumentHelp("The key ID, 16 bytes.", valueName: "hex"))
    var keyID: HexArgument?
    @Option(
        help: ArgumentHelp(
            "The stream ID of offline keys, 16 bytes. The default is the first 16 bytes of SHA-256 over the asset ID.",
            valueName: "hex"
        )
    )
    var streamID: HexArgument?
    @Option(help: ArgumentHelp("The title ID of offline keys, 16 bytes.", valueName: "hex"))
    var titleID: HexArgument?
    @Flag(help: "Replace the key of this asset, if there is one.")
    var replace = false

    func validate() throws {
        if title == nil {
            guard asset != nil else { throw ValidationError("Use --asset, or --title and --track.") }
            guard track == nil || track.flatMap(ContentTrack.init) != nil else {
                throw ValidationError("--track: without --title, expected audio, video, sd, hd or uhd.")
            }
        } else {
            guard track != nil, keyID != nil else {
                throw ValidationError("--title requires --track and --key-id.")
            }
            guard streamID == nil, titleID == nil else {
                throw ValidationError(
                    "--stream-id and --title-id cannot be used with --title: "
                        + "set them with `tracks add` and `titles add`."
                )
            }
        }
    }

    func run() async throws {
        let key = try key.secret(16, "--key")
        // A key period belongs to a track, so the store must already exist.
        try await store.withStore(creating: title == nil ? .ifMissing : .never) { store in
            let policy = try await storedPolicy(in: store)
            let record: ContentRecord
            if let title, let track {
                record = try await period(title, track, key, policy, store)
            } else {
                record = try separateKey(key, policy)
            }
            try await ContentDefaults.check(content: record, in: store)
            let info = record.info
            let outcome = try await store.putContent(record, replacing: replace) { outcome in
                .command("keys add", "content-put", "\(info.place) \(outcome)") { audit in
                    audit.assetID = info.assetID
                    audit.policyName = info.policyName
                }
            }
            print("\(outcome == .created ? "added" : "replaced") \(assetName(record.info.assetID))")
        }
    }

    private func separateKey(_ key: SecretBytes, _ policy: String?) throws -> ContentRecord {
        let asset = asset?.bytes ?? []
        return try ContentRecord(
            assetID: asset,
            keyID: try keyID?.requireCount(16, "--key-id"),
            contentKey: key,
            iv: try iv.requireCount(16, "--iv"),
            track: track.flatMap(ContentTrack.init) ?? .unspecified,
            policyName: policy,
            streamID: try streamID?.requireCount(16, "--stream-id") ?? ContentDefaults.streamID(forAssetID: asset),
            titleID: try titleID?.requireCount(16, "--title-id"),
            validFrom: validFrom?.seconds,
            validUntil: validUntil?.seconds,
            time: systemMilliseconds() / 1000
        )
    }

    private func period(
        _ title: String,
        _ track: String,
        _ key: SecretBytes,
        _ policy: String?,
        _ store: any KeyServerStore
    ) async throws -> ContentRecord {
        guard let titleRecord = try await store.title(name: title) else {
            throw CommandFailure("there is no title \(title); add it with `keyway-server titles add`")
        }
        guard try await store.tracks(title: title).contains(where: { $0.name == track }) else {
            throw CommandFailure("title \(title) has no track \(track); add it with `keyway-server tracks add`")
        }
        let keyID = try keyID?.requireCount(16, "--key-id") ?? []
        let from = validFrom?.seconds
        let uri = try ContentDefaults.keyURI(title: titleRecord, track: track, keyID: keyID, validFrom: from)
        print("key URI \(uri)")
        return try ContentRecord(
            assetID: try asset?.bytes
                ?? ContentDefaults.assetID(title: titleRecord, track: track, keyID: keyID, validFrom: from),
            keyID: keyID,
            contentKey: key,
            iv: try iv.requireCount(16, "--iv"),
            policyName: policy,
            titleName: title,
            trackName: track,
            validFrom: from,
            validUntil: validUntil?.seconds,
            time: systemMilliseconds() / 1000
        )
    }

    /// Returns the policy's name. A policy that was given as a file is stored first.
    private func storedPolicy(in store: any KeyServerStore) async throws -> String? {
        guard let policy, policy.contains("/") || policy.hasSuffix(".json") else { return policy }
        let file = URL(filePath: policy).deletingPathExtension().lastPathComponent
        let record = try ContentDefaults.policy(orNamed: file, json: try contents(ofFile: policy))
        if let stored = try await store.policy(name: record.name), stored != record, !replace {
            throw CommandFailure("a different policy \(record.name) is already stored; use --replace to replace it")
        }
        try await ContentDefaults.check(policy: record, in: store)
        let name = record.name
        try await store.putPolicy(record, replacing: true) { outcome in
            .command("keys add", "policy-put", "policy \(name) \(outcome)") { $0.policyName = name }
        }
        print("stored policy \(name)")
        try record.printOpenings()
        return name
    }
}
