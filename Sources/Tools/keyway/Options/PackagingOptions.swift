import ArgumentParser
import DRMSignaling
import Packager
import ToolSupport

/// The options that control packaging.
struct PackagingOptions: ParsableArguments {
    @Option(
        help: .init(
            "The output folder of the presentation; required unless --job contains it. The "
                + "Multivariant Playlist is main.m3u8, and the DASH manifest is main.mpd. With --live or --event, a "
                + "URL, to which the files are uploaded with PUT and DELETE.",
            valueName: "folder|url"
        ),
        transform: PackagingValue.output
    )
    var out: String?

    @Option(
        help: .init(
            "A job file in YAML, with the same options; command-line options override it, and inputs "
                + "are added. docs/package-command.md describes its fields.",
            valueName: "file"
        )
    )
    var job: InputPath?

    @Option(
        help: .init(
            "The segment format: fmp4, or ts (with packed audio). (default: fmp4, or ts with --scheme "
                + "sample-aes)",
            valueName: "format"
        )
    )
    var container: PackagingJob.Container?

    @Option(
        help: .init(
            "The manifests to write: hls, dash, or hls,dash. (default: hls, or dash with --scheme cenc)",
            valueName: "list"
        ),
        transform: PackagingValue.manifests
    )
    var manifests: Set<PackagingJob.Manifest>?

    @Flag(name: .customLong("single-file"), help: "Write one file for each rendition, with byte ranges.")
    var isSingleFile = false

    @Option(
        name: .customLong("segment-duration"),
        help: .init(
            "The target duration of segments, from 500ms to 1m. (default: \(PackagingDefault.segmentDuration))",
            valueName: "duration"
        )
    )
    var segmentDuration: DurationArgument?

    @Flag(
        name: .customLong("overwrite"),
        help: "Replace existing files in the output folder; without it, they are an error."
    )
    var overwrites = false

    @Flag(
        name: .customLong("skip-unsupported"),
        help: .init(
            "Leave out video, audio, and subtitles that cannot be packaged, with a warning: tracks in formats "
                + "that are not supported, and the missing end of a truncated file. Without it, they are an error."
        )
    )
    var skipsUnsupported = false

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
            valueName: "scheme"
        )
    )
    var scheme: SchemeArgument?

    @Option(
        name: .customLong("key-id"),
        help: .init(
            "The key ID of --key or --key-file, 16 bytes. (default: all zeros if --key-uri is given "
                + "without {kid}; otherwise required)",
            valueName: "hex"
        ),
        transform: PackagingValue.keyID
    )
    var keyID: ContentKeyID?

    @Option(
        help: .init(
            "The key, 16 bytes, for all track classes without --track-key; it cannot be combined with "
                + "--key-file.",
            valueName: "hex|@file"
        )
    )
    var key: HexArgument?

    @Option(help: .init("The IV of --key, 16 bytes. (default: random; required for FairPlay)", valueName: "hex|@file"))
    var iv: HexArgument?

    @Option(
        name: .customLong("iv-size"),
        help: .init(
            "The size of per-sample IVs with cenc, in bytes: 8 or 16. (default: \(PackagingDefault.job.ivSize))",
            valueName: "number"
        )
    )
    var ivSize: Int?

    @Option(
        name: .customLong("key-file"),
        help: .init(
            "A binary file with the key and the IV, 32 bytes, as in Apple's tools; its key ID is "
                + "--key-id.",
            valueName: "file"
        )
    )
    var keyFile: InputPath?

    @Option(
        name: .customLong("track-key"),
        help: .init(
            "The key of one track class (audio, SD, HD, or UHD): kid:key:iv in hexadecimal, or @ and "
                + "the path of a file that contains it. The IV is required for FairPlay. Repeatable.",
            valueName: "class=kid:key:iv|class=@file"
        ),
        transform: TrackKeyArgument.parse
    )
    var trackKeys: [TrackKeyArgument] = []

    @Option(
        name: .customLong("key-uri"),
        help: .init(
            "The template of key URIs, with the placeholders {kid}, {track}, {title}, and {period}, "
                + "the start of the key period in Unix seconds; only for fairplay and identity. (default: "
                + "skd://{kid}; required for identity)",
            valueName: "template"
        ),
        transform: PackagingValue.keyURI
    )
    var keyURI: KeyURITemplate?

    @Option(
        help: .init(
            "The value of {title} in --key-uri; required if it is used there. With --dev, also the name of the title that "
                + "the keys are registered under, with a track for each class.",
            valueName: "name"
        )
    )
    var title: String?

    @Option(
        help: .init(
            "The key systems: fairplay, widevine, playready, clearkey, or identity (the key itself "
                + "from a URL), separated by commas; identity cannot be combined with others. (default: "
                + "fairplay for cbcs and sample-aes, clearkey for cenc, identity for aes-128)",
            valueName: "list"
        ),
        transform: PackagingValue.systems
    )
    var systems: [ProtectionSystem]?

    @Option(
        name: .customLong("clear-lead"),
        help: .init("The duration to leave clear at the beginning. (default: none)", valueName: "duration")
    )
    var clearLead: DurationArgument?

    @Option(
        help: .init(
            "The HDCP-LEVEL of a track class or of one variant, named by its folder: UHD=TYPE-1, "
                + "video-1080=NONE. The levels are NONE, TYPE-0, and TYPE-1. Repeatable. (default: NONE for "
                + "audio and SD, TYPE-0 for HD, TYPE-1 for UHD)",
            valueName: "class|variant=level"
        ),
        transform: OutputProtectionRule.hdcpLevel
    )
    var hdcp: [OutputProtectionRule] = []

    @Option(
        name: .customLong("allowed-cpc"),
        help: .init(
            "The ALLOWED-CPC labels for FairPlay of a track class or of one variant, named by its "
                + "folder: UHD=AppleMain/Main, video-1080=none. The labels are AppleBaseline, AppleMain, Baseline, and "
                + "Main, separated by slashes, or none. Repeatable. (default: "
                + "AppleBaseline/Baseline for SD and HD, AppleMain/Main for UHD)",
            valueName: "class|variant=labels"
        ),
        transform: OutputProtectionRule.allowedCPC
    )
    var allowedCPC: [OutputProtectionRule] = []
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
        name: .customLong("policy"),
        help: .init(
            "The name of the license policy on the server for the keys that --dev generates, for all track classes "
                + "or for one; repeatable. (default: for fairplay, policies with the HDCP type and the security level "
                + "that the playlists signal, which are created; for clearkey and identity, the server's policy default, "
                + "or development-other-clients, which is created)",
            valueName: "name|class=name"
        ),
        transform: PolicyArgument.parse
    )
    var policies: [PolicyArgument] = []

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
