import ArgumentParser
import DRMSignaling
import FPSCrypto
import Foundation
import KeyServer
import KeyStore
import ToolSupport

/// `keys add`.
struct KeysAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a content key, or replace one.",
        discussion: """
            A key is either separate, with --asset, or it is a key period of a track, with --title, --track, and \
            --key-id. A key period is a content key that is used for a track during a certain time. It uses the \
            track's stream ID and the title's title ID. Its asset ID is that of --asset or, by default, the part \
            after skd:// in the key URI, which is the key ID unless the title has a --key-uri.

            An SPC (server playback context) is the license request of a FairPlay client.
            """
    )

    @OptionGroup var store: StoreOptions
    @Option(
        help: ArgumentHelp(
            """
            The asset ID that SPCs contain: text, or 0x followed by hexadecimal digits; 2 to 200 bytes. Required \
            without --title.
            """,
            valueName: "asset-id"
        )
    )
    var asset: AssetIDArgument?
    @Option(
        help: ArgumentHelp(
            "The content key, 16 bytes in hexadecimal digits; @FILE reads the digits from a file.",
            valueName: "hex|@file"
        )
    )
    var key: HexArgument
    @Option(
        help: ArgumentHelp(
            """
            The initialization vector that the samples are encrypted with, 16 bytes in hexadecimal digits; @FILE \
            reads the digits from a file.
            """,
            valueName: "hex|@file"
        )
    )
    var iv: HexArgument
    @Option(
        help: ArgumentHelp(
            "The title that a key period belongs to. Requires --track and --key-id.",
            valueName: "name"
        )
    )
    var title: String?
    @Option(
        help: ArgumentHelp(
            "The track of the title that a key period belongs to. Requires --title.",
            valueName: "name"
        )
    )
    var track: String?
    @Option(
        help: ArgumentHelp(
            """
            The kind of media that the key decrypts; not with --title, because the track has a kind. (default: \
            unspecified)
            """,
            valueName: "kind"
        )
    )
    var kind: ContentTrack?
    @Option(
        help: ArgumentHelp(
            "The start of the key's use: ISO 8601 with a time zone, or Unix seconds. (default: no limit)",
            valueName: "time"
        )
    )
    var validFrom: TimeArgument?
    @Option(
        help: ArgumentHelp(
            """
            The end of the key's use, when another key replaces it: ISO 8601 with a time zone, or Unix seconds. \
            (default: no limit)
            """,
            valueName: "time"
        )
    )
    var validUntil: TimeArgument?
    @Option(
        help: ArgumentHelp(
            """
            A policy for this key. The policies of its title and track apply too: of each field, the strictest value \
            counts. A value that contains / or ends with .json is a JSON file; any other value is the name of a \
            stored policy. A file is stored as the name in the document or, if there is none, the file's name \
            without its extension; --replace is required if a different policy of this name is stored. If key, \
            title, and track have no policy, the stored policy named default applies or, if there is none, a \
            built-in policy: HDCP type 0, and no virtual machines.
            """,
            valueName: "name|file"
        )
    )
    var policy: PolicyArgument?
    @Option(
        help: ArgumentHelp(
            "The key ID, 16 bytes in hexadecimal digits. Required with --title. (default: none)",
            valueName: "hex"
        )
    )
    var keyID: HexArgument?
    @Option(
        help: ArgumentHelp(
            """
            The stream ID of offline keys, 16 bytes in hexadecimal digits; not with --title. (default: the first 16 \
            bytes of SHA-256 of the asset ID)
            """,
            valueName: "hex"
        )
    )
    var streamID: HexArgument?
    @Option(
        help: ArgumentHelp(
            """
            The title ID of offline keys, 16 bytes in hexadecimal digits; not with --title. (default: the stream ID)
            """,
            valueName: "hex"
        )
    )
    var titleID: HexArgument?
    @Flag(
        help:
            """
            Replace the key of this asset, and the policy that a file contains, if they exist. Without it, an \
            existing key is an error. With it, omitted options are reset to their defaults.
            """
    )
    var replace = false
    @OptionGroup var output: JSONOption

    func validate() throws {
        if title == nil {
            guard asset != nil else { throw ValidationError("Use --asset, or --title and --track.") }
            guard track == nil else {
                throw ValidationError("--track requires --title; --kind specifies the kind of media without a title.")
            }
        } else {
            guard track != nil, keyID != nil else {
                throw ValidationError("--title requires --track and --key-id.")
            }
            guard kind == nil else {
                throw ValidationError("--kind cannot be used with --title: set it with `tracks add`.")
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
        let key = try key.secret(16, option: "--key", rules: .required)
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
            let stored = try await store.content(assetID: info.assetID)?.info ?? info
            try output.print(stored.administrationJSON) { escaped("\(outcome.verb) \(assetName(info.assetID))") }
        }
    }

    private func separateKey(_ key: SecretBytes, _ policy: String?) throws -> ContentRecord {
        let assetID = asset?.bytes ?? []
        return try ContentRecord(
            assetID: assetID,
            keyID: try keyID?.bytes(16, option: "--key-id"),
            contentKey: key,
            iv: try iv.bytes(16, option: "--iv"),
            track: kind ?? .unspecified,
            policyName: policy,
            streamID: try streamID?.bytes(16, option: "--stream-id") ?? ContentDefaults.streamID(forAssetID: assetID),
            titleID: try titleID?.bytes(16, option: "--title-id"),
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
            throw CommandFailure.input("there is no title \(title)", next: "add it with `keyway-server titles add`")
        }
        guard try await store.tracks(title: title).contains(where: { $0.name == track }) else {
            throw CommandFailure.input(
                "title \(title) has no track \(track)",
                next: "add it with `keyway-server tracks add`"
            )
        }
        let keyID = try keyID?.bytes(16, option: "--key-id") ?? []
        let from = validFrom?.seconds
        let uri = try ContentDefaults.keyURI(title: titleRecord, track: track, keyID: keyID, validFrom: from)
        if !output.json { try printLine("key URI \(uri)") }
        return try ContentRecord(
            assetID: try asset?.bytes
                ?? ContentDefaults.assetID(title: titleRecord, track: track, keyID: keyID, validFrom: from),
            keyID: keyID,
            contentKey: key,
            iv: try iv.bytes(16, option: "--iv"),
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
        let path: String
        switch policy {
        case nil: return nil
        case .stored(let name)?: return name
        case .file(let file)?: path = file.path
        }
        let name = URL(filePath: path).deletingPathExtension().lastPathComponent
        let record = try ContentDefaults.policy(orNamed: name, json: try InputFile.read(path))
        if let stored = try await store.policy(name: record.name), stored != record, !replace {
            throw CommandFailure.input(
                "a different policy \(record.name) is already stored",
                next: "use --replace to replace it"
            )
        }
        try await ContentDefaults.check(policy: record, in: store)
        try await store.putPolicy(record, replacing: true) { outcome in
            .command("keys add", "policy-put", "policy \(record.name) \(outcome)") { $0.policyName = record.name }
        }
        if !output.json { try printLine("stored policy \(record.name)") }
        try record.printEffects(output)
        return record.name
    }
}
