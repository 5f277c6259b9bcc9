import ArgumentParser
import DRMSignaling
import Packager
import ToolSupport

/// The options that control packaging.
struct PackagingOptions: ParsableArguments {
    @Option(
        help: .init(
            "The output folder of the presentation; required unless --job contains it. The "
                + "Multivariant Playlist is main.m3u8, and the DASH manifest is main.mpd.",
            valueName: "folder"
        ),
        transform: OutputPath.parse
    )
    var out: String?

    @Option(
        help: .init(
            "A job file in YAML, with the same options; command-line options override it, and inputs "
                + "are added. docs/package-command.md describes its fields.",
            valueName: "file"
        )
    )
    var job: String?

    @Option(
        help: .init(
            "The segment format: fmp4, or ts (with packed audio). (default: fmp4, or ts with --scheme "
                + "sample-aes)",
            valueName: "name"
        )
    )
    var container: String?

    @Option(
        help: .init(
            "The manifests to write: hls, dash, or hls,dash. (default: hls, or dash with --scheme cenc)",
            valueName: "list"
        )
    )
    var manifests: String?

    @Flag(name: .customLong("single-file"), help: "Write one file for each rendition, with byte ranges.")
    var isSingleFile = false

    @Option(
        name: .customLong("segment-duration"),
        help: .init("The target duration of segments, in seconds; 0.5 to 60. (default: 6)", valueName: "seconds")
    )
    var segmentDuration: String?

    @Flag(
        name: .customLong("overwrite"),
        help: "Replace existing files in the output folder; without it, they are an error."
    )
    var overwrites = false

    @Flag(
        name: .customLong("dry-run"),
        help: .init(
            "Print the planned tracks, variants, files, and keys (key IDs and fingerprints, not the "
                + "keys themselves), and write nothing."
        )
    )
    var isDryRun = false
}

/// The options that control encryption.
struct EncryptionOptions: ParsableArguments {
    @Option(
        help: .init(
            "The encryption scheme: cbcs or cenc (fmp4), sample-aes (ts), aes-128, or none. (default: "
                + "if keys are given, cbcs, or sample-aes with --container ts; otherwise none)",
            valueName: "name"
        )
    )
    var scheme: String?

    @Option(
        name: .customLong("key-id"),
        help: .init(
            "The key ID of --key or --key-file, 16 bytes. (default: all zeros if --key-uri is given "
                + "without {kid}; otherwise required)",
            valueName: "hex"
        )
    )
    var keyID: String?

    @Option(
        help: .init(
            "The key, 16 bytes, for all track classes without --track-key; it cannot be combined with "
                + "--key-file.",
            valueName: "hex|@file"
        )
    )
    var key: String?

    @Option(help: .init("The IV of --key, 16 bytes. (default: random; required for FairPlay)", valueName: "hex"))
    var iv: String?

    @Option(
        name: .customLong("iv-size"),
        help: .init("The size of per-sample IVs with cenc, in bytes: 8 or 16. (default: 8)", valueName: "n")
    )
    var ivSize: String?

    @Option(
        name: .customLong("key-file"),
        help: .init(
            "A binary file with the key and the IV, 32 bytes, as in Apple's tools; its key ID is "
                + "--key-id.",
            valueName: "file"
        )
    )
    var keyFile: String?

    @Option(
        name: .customLong("track-key"),
        help: .init(
            "The key of one track class (audio, SD, HD, or UHD): kid:key:iv in hexadecimal, or @ and "
                + "the path of a file that contains it. The IV is required for FairPlay. Repeatable.",
            valueName: "class=kid:key:iv|class=@file"
        )
    )
    var trackKeys: [String] = []

    @Option(
        name: .customLong("key-uri"),
        help: .init(
            "The template of key URIs, with the placeholders {kid}, {track}, {title}, and {period}, "
                + "the start of the key period in Unix seconds; only for fairplay and identity. (default: "
                + "skd://{kid}; required for identity)",
            valueName: "template"
        )
    )
    var keyURI: String?

    @Option(help: .init("The value of {title} in --key-uri; required if it is used there.", valueName: "name"))
    var title: String?

    @Option(
        help: .init(
            "The key systems: fairplay, widevine, playready, clearkey, or identity (the key itself "
                + "from a URL), separated by commas; identity cannot be combined with others. (default: "
                + "fairplay for cbcs and sample-aes, clearkey for cenc, identity for aes-128)",
            valueName: "list"
        )
    )
    var systems: String?

    @Option(
        name: .customLong("clear-lead"),
        help: .init("The duration to leave clear at the beginning, in seconds. (default: none)", valueName: "seconds")
    )
    var clearLead: String?

    @Option(
        help: .init(
            "The HDCP-LEVEL of a track class or of one variant, named by its folder: UHD=TYPE-1, "
                + "video-1080=NONE. The levels are NONE, TYPE-0, and TYPE-1. Repeatable. (default: NONE for "
                + "audio and SD, TYPE-0 for HD, TYPE-1 for UHD)",
            valueName: "class|variant=level"
        )
    )
    var hdcp: [String] = []

    @Option(
        name: .customLong("allowed-cpc"),
        help: .init(
            "The ALLOWED-CPC labels for FairPlay of a track class or of one variant, named by its "
                + "folder: UHD=AppleMain/Main, video-1080=none. Repeatable. (default: "
                + "AppleBaseline/Baseline for SD and HD, AppleMain/Main for UHD)",
            valueName: "class|variant=labels"
        )
    )
    var allowedCPC: [String] = []
}

/// The options for keys that `--dev` generates.
struct KeyDeliveryOptions: ParsableArguments {
    @Flag(
        name: .customLong("dev"),
        help: .init(
            "Generate keys and register them with a development server. With clearkey or identity in "
                + "--systems, Clear Key and AES-128 clients receive the keys too, if the license policy has "
                + "otherClients: allow."
        )
    )
    var isDev = false

    @Option(help: .init("The admin URL of the server for --dev.", valueName: "url"))
    var server = "http://127.0.0.1:8080"

    @Option(
        name: .customLong("admin-token"),
        help: .init(
            "The admin token of the server, required for --dev. (default: the value of the "
                + "environment variable KEYWAY_ADMIN_TOKEN)",
            valueName: "text|@file"
        )
    )
    var adminToken: String?

    @Option(
        help: .init(
            "The name of the license policy on the server for the keys that --dev generates. "
                + "(default: the server's default policy; for clearkey and identity, if the server has no "
                + "policy named default, development-other-clients, which is created)",
            valueName: "name"
        )
    )
    var policy: String?

    @Option(
        name: .customLong("save-keys"),
        help: .init(
            "A file to write the keys to, one KID:KEY:IV per line, for keyway decrypt. (default: none)",
            valueName: "file"
        ),
        transform: OutputPath.parse
    )
    var savedKeys: String?
}

extension PackagingSettings {
    /// Creates settings from the options of the command line.
    init(
        inputs: [String],
        _ packaging: PackagingOptions,
        _ encryption: EncryptionOptions,
        _ delivery: KeyDeliveryOptions,
        _ stream: StreamOptions
    ) throws(CommandFailure) {
        self.init()
        for text in inputs {
            do {
                self.inputs.append(try PackagingJob.Input(parsing: text))
            } catch {
                throw .usage(error.reason)
            }
        }
        let texts =
            [
                ("out", packaging.out), ("scheme", encryption.scheme), ("container", packaging.container),
                ("segment-duration", packaging.segmentDuration), ("key-uri", encryption.keyURI),
                ("manifests", packaging.manifests), ("iv-size", encryption.ivSize), ("systems", encryption.systems),
                ("clear-lead", encryption.clearLead), ("title", encryption.title),
            ] + stream.texts
        for (name, text) in texts {
            if let text { values[name] = Setting(text: text, location: .commandLine) }
        }
        if packaging.isSingleFile { flags["single-file"] = .commandLine }
        if packaging.overwrites { flags["overwrite"] = .commandLine }
        if delivery.isDev { flags["dev"] = .commandLine }
        if stream.isLive { flags["live"] = .commandLine }
        if stream.isEvent { flags["event"] = .commandLine }
        hdcp = encryption.hdcp.map { Setting(text: $0, location: .commandLine) }
        allowedCPC = encryption.allowedCPC.map { Setting(text: $0, location: .commandLine) }
        sharedKey = try Self.sharedKey(encryption)
        try readTrackKeys(encryption.trackKeys)
    }

    private static func sharedKey(_ options: EncryptionOptions) throws(CommandFailure) -> KeySource? {
        switch (options.key, options.keyFile) {
        case (nil, nil):
            guard options.keyID == nil, options.iv == nil else {
                throw .usage("--key-id and --iv require a key", next: "give --key, or --key-file")
            }
            return nil
        case (let key?, nil):
            return KeySource(bytes: .parts(key: key, iv: options.iv), keyID: options.keyID, location: .commandLine)
        case (nil, let file?):
            guard options.iv == nil else {
                throw .usage("--iv cannot be combined with --key-file, which contains the IV", next: "leave out --iv")
            }
            return KeySource(bytes: .file(file), keyID: options.keyID, location: .commandLine)
        case (.some, .some):
            throw .usage("--key and --key-file cannot be combined", next: "leave out one of the two")
        }
    }

    private mutating func readTrackKeys(_ texts: [String]) throws(CommandFailure) {
        for text in texts {
            guard let sign = text.firstIndex(of: "="), let trackClass = TrackClass(parsing: text[..<sign]) else {
                throw .usage(
                    "--track-key: expected CLASS=KEY",
                    next: "give for example HD=@hd.key; classes are "
                        + TrackClass.allCases.map(\.rawValue).joined(separator: ", ")
                )
            }
            guard classKeys[trackClass] == nil else {
                throw .usage("--track-key: \(trackClass.rawValue) has two keys", next: "leave out one of the two")
            }
            let key = String(text[text.index(after: sign)...])
            classKeys[trackClass] = KeySource(bytes: .whole(key), keyID: nil, location: .commandLine)
        }
    }
}
