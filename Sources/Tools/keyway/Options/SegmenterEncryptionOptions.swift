import ArgumentParser
import DRMSignaling

/// How Apple's mediafilesegmenter is told to encrypt.
///
///     options         scheme       KEYFORMAT
///     -k              aes-128      identity
///     -k -S           sample-aes   identity      with -r: cbcs
///     -k -S -P        sample-aes   FairPlay      with -r: cbcs
struct SegmenterEncryptionOptions: ParsableArguments {
    @Flag(name: .apple("P", "streaming-key-delivery"), help: "FairPlay; needs --stream-encrypt.")
    var isStreamingKeyDelivery = false

    @Flag(name: .apple("S", "stream-encrypt"), help: "Encrypt samples instead of files.")
    var isStreamEncrypt = false

    @Option(name: .apple("k", "encrypt-key-file"), help: .init("Key and IV, 32 bytes.", valueName: "file"))
    var keyFile: String?

    @Option(name: .apple("K", "encrypt-key-url"), help: .init("Where clients get the key: skd://…", valueName: "url"))
    var keyURL: String?

    @Option(
        name: .apple("J", "encrypt-iv"),
        help: .init(
            "random or sequence, where files are encrypted; otherwise the IV is the key file's.",
            valueName: "how"
        )
    )
    var ivMethod: String?

    @Option(name: .apple("H", "hdcp-level"), help: .init("none, type-0 or type-1.", valueName: "level"))
    var hdcpLevel: String?

    /// Holds that the options go together.
    func check() throws {
        guard !isStreamingKeyDelivery || isStreamEncrypt else {
            throw ValidationError("-P needs --stream-encrypt: FairPlay decrypts samples, not whole files.")
        }
        guard !isStreamingKeyDelivery || ivMethod == nil else {
            throw ValidationError(
                "--encrypt-iv cannot stand beside -P: FairPlay's IV comes with the key, in the key file."
            )
        }
        guard !isStreamEncrypt || ivMethod == nil else {
            throw ValidationError("--encrypt-iv cannot stand beside --stream-encrypt: the IV is the key file's.")
        }
        guard ivMethod.map({ ["random", "sequence"].contains($0.lowercased()) }) ?? true else {
            throw ValidationError("--encrypt-iv takes random or sequence.")
        }
        guard keyFile != nil else {
            for (name, isGiven) in [
                ("--encrypt-key-url", keyURL != nil), ("--stream-encrypt", isStreamEncrypt),
                ("--encrypt-iv", ivMethod != nil),
            ] where isGiven {
                throw ValidationError("\(name) needs a key: give --encrypt-key-file, 32 bytes.")
            }
            return
        }
        guard keyURL != nil else {
            throw ValidationError("--encrypt-key-file needs --encrypt-key-url: clients must know where the key is.")
        }
        guard hdcpLevel.map({ HDCPRequirement(parsing: $0) != nil }) ?? true else {
            throw ValidationError("--hdcp-level takes none, type-0 or type-1.")
        }
    }

    /// The same in the words of `keyway package`.
    func add(to settings: inout PackagingSettings, isFragmented: Bool) {
        guard let keyFile, let keyURL else { return }
        let scheme = isStreamEncrypt ? (isFragmented ? "cbcs" : "sample-aes") : "aes-128"
        settings.values["scheme"] = .init(text: scheme, place: .commandLine)
        settings.values["key-uri"] = .init(text: keyURL, place: .commandLine)
        settings.values["systems"] = .init(
            text: isStreamingKeyDelivery ? "fairplay" : "identity",
            place: .commandLine
        )
        settings.sharedKey = .init(
            bytes: .file(keyFile),
            dropsIV: ivMethod != nil,
            place: .commandLine
        )
        settings.usesSequenceIVs = ivMethod?.lowercased() == "sequence"
        guard let hdcpLevel else { return }
        settings.hdcp = TrackClass.allCases.map { .init(text: "\($0.rawValue)=\(hdcpLevel)", place: .commandLine) }
    }
}

/// Options of Apple's mediafilesegmenter that are not done here. They are named, so that nobody believes that they had
/// an effect.
struct RefusedSegmenterOptions: ParsableArguments {
    @Option(name: .apple("b", "base-url"), help: "URIs are relative.")
    var baseURL: String?
    @Option(name: .apple("F", "meta-file"), help: "Timed metadata is not done.")
    var metaFile: String?
    @Option(name: .apple("y", "meta-type"), help: "Timed metadata is not done.")
    var metaType: String?
    @Option(name: .apple("M", "meta-macro-file"), help: "Timed metadata is not done.")
    var metaMacroFile: String?
    @Flag(name: .apple("I", "generate-variant-plist"), help: "The Multivariant Playlist is written at once.")
    var generatesVariantPlist = false
    @Option(name: .apple(nil, "key-rotation-period"), help: "keyway package changes keys.")
    var keyRotationPeriod: String?
    @Option(name: .apple(nil, "encrypt-rotate-iv-mbytes"), help: "IVs do not change.")
    var ivRotation: String?
    @Option(name: .apple("n", "base-encrypt-key-name"), help: "No key files are made.")
    var baseEncryptKeyName: String?
    @Option(name: .apple("l", "log-file"), help: "Redirect standard error instead.")
    var logFile: String?
    @Flag(name: .apple(nil, "no-floating-point-duration"), help: "Durations are exact.")
    var usesIntegerDurations = false
    @Flag(name: .apple("V", "validate-files"), help: "keyway media inspect looks into a file.")
    var validatesFiles = false

    /// Refuses the first that is given.
    func check() throws {
        let options: [(name: String, isGiven: Bool, reason: String)] = [
            ("--base-url", baseURL != nil, "URIs in playlists are relative; put the folder where the URL leads"),
            ("--meta-file", metaFile != nil, "timed metadata cannot be added yet"),
            ("--meta-type", metaType != nil, "timed metadata cannot be added yet"),
            ("--meta-macro-file", metaMacroFile != nil, "timed metadata cannot be added yet"),
            (
                "--generate-variant-plist", generatesVariantPlist,
                "no variantplaylistcreator is needed: give all inputs to keyway package"
            ),
            ("--key-rotation-period", keyRotationPeriod != nil, "use keyway package with --rotate-keys"),
            ("--encrypt-rotate-iv-mbytes", ivRotation != nil, "one IV serves the whole film"),
            ("--base-encrypt-key-name", baseEncryptKeyName != nil, "no keys are made; give one by --encrypt-key-file"),
            ("--log-file", logFile != nil, "redirect standard error to a file"),
            (
                "--no-floating-point-duration", usesIntegerDurations,
                "clients that need rounded durations are too old for these playlists"
            ),
            ("--validate-files", validatesFiles, "use keyway media inspect"),
        ]
        guard let first = options.first(where: \.isGiven) else { return }
        throw ValidationError("\(first.name) of Apple's tool is not done here: \(first.reason).")
    }
}
