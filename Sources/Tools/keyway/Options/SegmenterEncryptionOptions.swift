import ArgumentParser
import DRMSignaling
import ToolSupport

/// The encryption options of Apple's mediafilesegmenter.
///
///     options         scheme       KEYFORMAT
///     -k              aes-128      identity
///     -k -S           sample-aes   identity      with -r: cbcs
///     -k -S -P        sample-aes   FairPlay      with -r: cbcs
struct SegmenterEncryptionOptions: ParsableArguments {
    @Flag(name: .apple("P", "streaming-key-delivery"), help: "Use FairPlay; requires --stream-encrypt.")
    var isStreamingKeyDelivery = false

    @Flag(
        name: .apple("S", "stream-encrypt"),
        help: "Encrypt samples instead of whole segments (AES-128); requires --encrypt-key-file."
    )
    var isStreamEncrypt = false

    @Option(
        name: .apple("k", "encrypt-key-file"),
        help: .init(
            "A binary file with the key and the IV, 32 bytes; requires --encrypt-key-url. (default: "
                + "no encryption)",
            valueName: "file"
        )
    )
    var keyFile: InputPath?

    @Option(
        name: .apple("K", "encrypt-key-url"),
        help: .init(
            "The key URI, such as skd://movie for FairPlay; required with --encrypt-key-file.",
            valueName: "url"
        ),
        transform: PackagingValue.keyURI
    )
    var keyURL: KeyURITemplate?

    @Option(
        name: .apple("J", "encrypt-iv"),
        help: .init(
            "The IV if whole segments are encrypted: random or sequence; it cannot be combined with "
                + "--stream-encrypt. (default: the IV in the key file)",
            valueName: "how"
        ),
        transform: SegmenterIV.parse
    )
    var ivMethod: SegmenterIV?

    @Option(
        name: .apple("H", "hdcp-level"),
        help: .init(
            "The required HDCP level of all variants: NONE, TYPE-0, or TYPE-1; without encryption, it "
                + "has no effect. (default: NONE for SD, TYPE-0 for HD, TYPE-1 for UHD)",
            valueName: "level"
        ),
        transform: PackagingValue.hdcpLevel
    )
    var hdcpLevel: HDCPRequirement?

    /// Requires that the options can be combined.
    func check() throws {
        guard !isStreamingKeyDelivery || isStreamEncrypt else {
            throw ValidationError("-P requires --stream-encrypt: FairPlay decrypts samples, not whole files.")
        }
        guard !isStreamingKeyDelivery || ivMethod == nil else {
            throw ValidationError(
                "--encrypt-iv cannot be combined with -P: FairPlay uses the IV in the key file."
            )
        }
        guard !isStreamEncrypt || ivMethod == nil else {
            throw ValidationError(
                "--encrypt-iv cannot be combined with --stream-encrypt, which uses the IV in the key file."
            )
        }
        guard keyFile != nil else {
            for (name, isGiven) in [
                ("--encrypt-key-url", keyURL != nil), ("--stream-encrypt", isStreamEncrypt),
                ("--encrypt-iv", ivMethod != nil),
            ] where isGiven {
                throw ValidationError("\(name) requires a key: give --encrypt-key-file with a file of 32 bytes.")
            }
            return
        }
        guard keyURL != nil else {
            throw ValidationError(
                "--encrypt-key-file requires --encrypt-key-url: playlists must contain the key's URI."
            )
        }
    }

    /// Adds the options to settings of `keyway package`.
    func add(to settings: inout PackagingSettings, isFragmented: Bool) {
        guard let keyFile, let keyURL else { return }
        settings.scheme = .init(isStreamEncrypt ? (isFragmented ? .cbcs : .sampleAES) : .aes128)
        settings.keyURI = .init(keyURL)
        settings.systems = .init([isStreamingKeyDelivery ? .fairPlay : .identity])
        settings.sharedKey = .init(
            bytes: .file(keyFile),
            dropsIV: ivMethod != nil,
            location: .commandLine
        )
        settings.usesSequenceIVs = ivMethod == .sequence
        guard let hdcpLevel else { return }
        settings.hdcp = TrackClass.allCases.compactMap { .init(OutputProtectionRule(hdcpLevel, of: $0)) }
    }
}

/// How the IV of whole segments is chosen.
enum SegmenterIV: String, ChoiceArgument {
    case random
    case sequence

    /// Parses an option. The error does not contain its text, which may be an IV.
    static func parse(_ text: String) throws(ValidationError) -> SegmenterIV {
        guard let method = SegmenterIV(argument: text) else { throw ValidationError("expected random or sequence") }
        return method
    }
}

/// A segment format of Apple's mediafilesegmenter.
enum SegmenterFormat: String, ChoiceArgument {
    case iso
}

/// A duration in the syntax of Apple's mediafilesegmenter: a number of seconds without a unit.
struct SegmenterSeconds: ExpressibleByArgument {
    /// The duration.
    let duration: DurationArgument

    /// Creates an argument, for defaults.
    init(duration: DurationArgument) { self.duration = duration }

    init?(argument: String) {
        guard argument.last?.isNumber == true, let duration = DurationArgument(argument: argument + "s") else {
            return nil
        }
        self.duration = duration
    }

    var defaultValueDescription: String { "\(duration.wholeSeconds)" }
}

/// The options of Apple's mediafilesegmenter that are not supported. They are declared, so that the command rejects
/// them instead of ignoring them.
struct RefusedSegmenterOptions: ParsableArguments {
    @Option(name: .apple("b", "base-url"), help: "Not supported: URIs are relative.")
    var baseURL: String?
    @Option(name: .apple("F", "meta-file"), help: "Not supported: timed metadata.")
    var metaFile: String?
    @Option(name: .apple("y", "meta-type"), help: "Not supported: timed metadata.")
    var metaType: String?
    @Option(name: .apple("M", "meta-macro-file"), help: "Not supported: timed metadata.")
    var metaMacroFile: String?
    @Flag(
        name: .apple("I", "generate-variant-plist"),
        help: "Not needed: the Multivariant Playlist is written directly."
    )
    var generatesVariantPlist = false
    @Option(name: .apple(nil, "key-rotation-period"), help: "Not supported: use keyway package --rotate-keys.")
    var keyRotationPeriod: String?
    @Option(name: .apple(nil, "encrypt-rotate-iv-mbytes"), help: "Not supported: the IV never changes.")
    var ivRotation: String?
    @Option(name: .apple("n", "base-encrypt-key-name"), help: "Not supported: no key files are generated.")
    var baseEncryptKeyName: String?
    @Option(name: .apple("l", "log-file"), help: "Not supported: redirect standard error instead.")
    var logFile: String?
    @Flag(name: .apple(nil, "no-floating-point-duration"), help: "Not supported: durations are exact.")
    var usesIntegerDurations = false
    @Flag(name: .apple("V", "validate-files"), help: "Not supported: use keyway media inspect.")
    var validatesFiles = false

    /// Rejects the first option that is given.
    func check() throws {
        let options: [(name: String, isGiven: Bool, reason: String)] = [
            ("--base-url", baseURL != nil, "URIs in playlists are relative; publish the folder at that URL instead"),
            ("--meta-file", metaFile != nil, "timed metadata cannot be added yet"),
            ("--meta-type", metaType != nil, "timed metadata cannot be added yet"),
            ("--meta-macro-file", metaMacroFile != nil, "timed metadata cannot be added yet"),
            (
                "--generate-variant-plist", generatesVariantPlist,
                "variantplaylistcreator is not needed; give all inputs to keyway package"
            ),
            ("--key-rotation-period", keyRotationPeriod != nil, "use keyway package with --rotate-keys"),
            ("--encrypt-rotate-iv-mbytes", ivRotation != nil, "the IV does not change within a movie"),
            (
                "--base-encrypt-key-name", baseEncryptKeyName != nil,
                "no keys are generated; give one with --encrypt-key-file"
            ),
            ("--log-file", logFile != nil, "redirect standard error to a file"),
            (
                "--no-floating-point-duration", usesIntegerDurations,
                "clients that require rounded durations do not support these playlists"
            ),
            ("--validate-files", validatesFiles, "use keyway media inspect"),
        ]
        guard let first = options.first(where: \.isGiven) else { return }
        throw ValidationError("\(first.name) of Apple's tool is not supported: \(first.reason).")
    }
}
