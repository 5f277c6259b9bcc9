import ArgumentParser
import DRMSignaling
import Packager

/// How media is packaged.
struct PackagingOptions: ParsableArguments {
    @Option(
        help: .init("The folder of the presentation; it gets main.m3u8.", valueName: "dir"),
        transform: OutputPath.parse
    )
    var out: String?

    @Option(help: .init("A job file in YAML; the command line has the last word.", valueName: "file"))
    var job: String?

    @Option(help: .init("fmp4, or ts (with packed audio).", valueName: "name"))
    var container: String?

    @Option(help: .init("hls, dash or both with a comma; hls, and dash for cenc.", valueName: "list"))
    var manifests: String?

    @Flag(name: .customLong("single-file"), help: "One file for each rendition, with byte ranges.")
    var isSingleFile = false

    @Option(name: .customLong("segment-duration"), help: .init("How long segments are aimed to be; 6.", valueName: "s"))
    var segmentDuration: String?

    @Flag(name: .customLong("overwrite"), help: "Replace what is in the folder.")
    var overwrites = false

    @Flag(name: .customLong("dry-run"), help: "Print tracks, variants, keys and files to be, and write nothing.")
    var isDryRun = false
}

/// How media is encrypted.
struct EncryptionOptions: ParsableArguments {
    @Option(
        help: .init(
            "cbcs or cenc (fmp4), sample-aes (ts), aes-128 or none; with keys, what the container asks for.",
            valueName: "name"
        )
    )
    var scheme: String?

    @Option(name: .customLong("key-id"), help: .init("The key's ID, 16 bytes.", valueName: "hex"))
    var keyID: String?

    @Option(help: .init("The key, 16 bytes.", valueName: "hex|@file"))
    var key: String?

    @Option(help: .init("The IV that goes with the key, 16 bytes.", valueName: "hex|@file"))
    var iv: String?

    @Option(name: .customLong("iv-size"), help: .init("Bytes of a sample's IV with cenc: 8 or 16; 8.", valueName: "n"))
    var ivSize: String?

    @Option(
        name: .customLong("key-file"),
        help: .init("Key and IV, 32 bytes, as Apple's tools have it.", valueName: "file")
    )
    var keyFile: String?

    @Option(
        name: .customLong("track-key"),
        help: .init(
            "The key of one class (audio, SD, HD, UHD); several times.",
            valueName: "class=kid:key:iv|class=@file"
        )
    )
    var trackKeys: [String] = []

    @Option(name: .customLong("key-uri"), help: .init("The URI of keys: {kid}, {track}, {title}.", valueName: "uri"))
    var keyURI: String?

    @Option(help: .init("What {title} of the key URI stands for.", valueName: "text"))
    var title: String?

    @Option(help: .init("fairplay, widevine, playready, clearkey, identity; with commas.", valueName: "list"))
    var systems: String?

    @Option(name: .customLong("clear-lead"), help: .init("Leave the beginning clear.", valueName: "s"))
    var clearLead: String?

    @Option(help: .init("HDCP-LEVEL of a class or a variant: UHD=TYPE-1; several times.", valueName: "class=level"))
    var hdcp: [String] = []

    @Option(
        name: .customLong("allowed-cpc"),
        help: .init(
            "ALLOWED-CPC of a class or a variant: UHD=AppleMain/Main; several times.",
            valueName: "class=labels"
        )
    )
    var allowedCPC: [String] = []
}

/// Where new keys go.
struct KeyDeliveryOptions: ParsableArguments {
    @Flag(
        name: .customLong("dev"),
        help:
            "Make keys, and register them with a development server, for Clear Key and AES-128 clients too if --systems has them."
    )
    var isDev = false

    @Option(help: .init("The server's administration.", valueName: "url"))
    var server = "http://127.0.0.1:8080"

    @Option(
        name: .customLong("admin-token"),
        help: .init("Its token; KEYWAY_ADMIN_TOKEN otherwise.", valueName: "text|@file")
    )
    var adminToken: String?

    @Option(help: .init("The license policy of the new keys.", valueName: "name"))
    var policy: String?

    @Option(
        name: .customLong("save-keys"),
        help: .init("Write the keys to a file for keyway decrypt, a line each: KID:KEY:IV.", valueName: "file"),
        transform: OutputPath.parse
    )
    var savedKeys: String?
}

extension PackagingSettings {
    /// What the command line says.
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
        let words =
            [
                ("out", packaging.out), ("scheme", encryption.scheme), ("container", packaging.container),
                ("segment-duration", packaging.segmentDuration), ("key-uri", encryption.keyURI),
                ("manifests", packaging.manifests), ("iv-size", encryption.ivSize), ("systems", encryption.systems),
                ("clear-lead", encryption.clearLead), ("title", encryption.title),
            ] + stream.words
        for (name, word) in words {
            if let word { values[name] = Setting(text: word, place: .commandLine) }
        }
        if packaging.isSingleFile { flags["single-file"] = .commandLine }
        if packaging.overwrites { flags["overwrite"] = .commandLine }
        if delivery.isDev { flags["dev"] = .commandLine }
        if stream.isLive { flags["live"] = .commandLine }
        if stream.isEvent { flags["event"] = .commandLine }
        hdcp = encryption.hdcp.map { Setting(text: $0, place: .commandLine) }
        allowedCPC = encryption.allowedCPC.map { Setting(text: $0, place: .commandLine) }
        sharedKey = try Self.sharedKey(encryption)
        try takeTrackKeys(encryption.trackKeys)
    }

    private static func sharedKey(_ options: EncryptionOptions) throws(CommandFailure) -> KeySource? {
        switch (options.key, options.keyFile) {
        case (nil, nil):
            guard options.keyID == nil, options.iv == nil else {
                throw .usage("--key-id and --iv go with a key", next: "give --key, or --key-file")
            }
            return nil
        case (let key?, nil):
            return KeySource(bytes: .parts(key: key, iv: options.iv), keyID: options.keyID, place: .commandLine)
        case (nil, let file?):
            guard options.iv == nil else { throw .usage("--key-file has the IV already", next: "leave --iv out") }
            return KeySource(bytes: .file(file), keyID: options.keyID, place: .commandLine)
        case (.some, .some):
            throw .usage("--key and --key-file are two keys for the same", next: "leave one of the two out")
        }
    }

    private mutating func takeTrackKeys(_ texts: [String]) throws(CommandFailure) {
        for text in texts {
            guard let sign = text.firstIndex(of: "="), let trackClass = TrackClass(parsing: text[..<sign]) else {
                throw .usage(
                    "--track-key takes a class, an equals sign and a key",
                    next: "such as HD=@hd.key; classes are "
                        + TrackClass.allCases.map(\.rawValue).joined(separator: ", ")
                )
            }
            guard classKeys[trackClass] == nil else {
                throw .usage("--track-key has two keys for \(trackClass.rawValue)", next: "leave one of the two out")
            }
            let key = String(text[text.index(after: sign)...])
            classKeys[trackClass] = KeySource(bytes: .whole(key), keyID: nil, place: .commandLine)
        }
    }
}
