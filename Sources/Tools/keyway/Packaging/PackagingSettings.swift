import DRMSignaling
import Packager
import ToolSupport

/// The options of packaging, from the command line or a job file, with their locations.
///
/// ``job()`` combines them, and adds the location to errors.
struct PackagingSettings {
    /// The location of a setting.
    enum Location: Hashable {
        /// On the command line.
        case commandLine
        /// In a job file.
        case file(String, line: Int)
    }

    /// A value and its location.
    struct Setting<Value> {
        var value: Value
        var location: Location

        /// Creates a setting.
        init(value: Value, location: Location) { (self.value, self.location) = (value, location) }

        /// Creates a setting from the value of an option; nil if the option is not given.
        init?(_ option: Value?) {
            guard let option else { return nil }
            self.init(value: option, location: .commandLine)
        }
    }

    /// The source of a key.
    struct KeySource {
        /// The form of the key bytes.
        enum Bytes {
            /// A key with its key ID and an optional IV.
            case whole(ContentKeyArgument)
            /// A key and an optional IV.
            case parts(key: HexArgument, iv: HexArgument?)
            /// Apple's key file of 32 bytes.
            case file(InputPath)
        }

        var bytes: Bytes
        var keyID: ContentKeyID?
        /// True if to ignore the IV of the key.
        var dropsIV = false
        var location: Location
    }

    /// The inputs.
    var inputs: [PackagingJob.Input] = []
    // The settings with one value, which PackagingSetting lists.
    var out: Setting<String>?
    var scheme: Setting<SchemeArgument>?
    var container: Setting<PackagingJob.Container>?
    var segmentDuration: Setting<DurationArgument>?
    var keyURI: Setting<KeyURITemplate>?
    var systems: Setting<[ProtectionSystem]>?
    var clearLead: Setting<DurationArgument>?
    var title: Setting<String>?
    var manifests: Setting<Set<PackagingJob.Manifest>>?
    var ivSize: Setting<Int>?
    var keyFormatVersions: Setting<FairPlayVersions>?
    var certificateURL: Setting<String>?
    var window: Setting<LengthArgument>?
    var targetDuration: Setting<DurationArgument>?
    var partDuration: Setting<DurationArgument>?
    var utcTiming: Setting<String>?
    var workFolder: Setting<String>?
    var uploadToken: Setting<SecretArgument>?
    var uploadTimeout: Setting<DurationArgument>?
    var startDate: Setting<TimeArgument>?
    var rotation: Setting<LengthArgument>?
    var periodKeys: Setting<InputPath>?
    var derivedKeys: Setting<HexArgument>?
    var keyLead: Setting<DurationArgument>?
    var keyTimeout: Setting<DurationArgument>?
    /// The Boolean options, by name.
    var flags: [String: Location] = [:]
    /// The rules for HDCP-LEVEL and ALLOWED-CPC.
    var hdcp: [Setting<OutputProtectionRule>] = []
    var allowedCPC: [Setting<OutputProtectionRule>] = []
    /// The URLs of license servers; the last one of a system applies.
    var licenseURLs: [Setting<LicenseURLArgument>] = []
    /// The key of the classes without a separate key.
    var sharedKey: KeySource?
    /// The keys of single classes.
    var classKeys: [TrackClass: KeySource] = [:]
    /// True if AES-128 uses media sequence numbers as IVs for keys without an IV.
    var usesSequenceIVs = false
    /// The key exchange with a SPEKE server, if any.
    var exchange: Exchange?
    /// The names of the output files.
    var names = PackagingJob.FileNames()
    /// The option that selects kinds of tracks, such as `PATH,tracks=audio` for `audio`; nil if there is none.
    var selectionOption: @Sendable (String) -> String? = { "PATH,tracks=\($0)" }

    /// The names of the Boolean options.
    static let flagNames = ["single-file", "overwrite", "skip-unsupported", "dev", "live", "event", "low-latency"]

    /// True if to generate keys.
    var isDev: Bool { flags["dev"] != nil }

    /// Overrides settings of a job file with those of the command line.
    mutating func override(with other: PackagingSettings) {
        inputs += other.inputs
        for setting in PackagingSetting.all { setting.override(&self, other) }
        flags.merge(other.flags) { $1 }
        hdcp += other.hdcp
        allowedCPC += other.allowedCPC
        licenseURLs += other.licenseURLs
        if other.sharedKey != nil || !other.classKeys.isEmpty {
            sharedKey = other.sharedKey ?? sharedKey
            classKeys.merge(other.classKeys) { $1 }
        }
        usesSequenceIVs = usesSequenceIVs || other.usesSequenceIVs
    }

    /// Returns the job.
    ///
    /// - Throws: ``CommandFailure`` that names the option, or the line of the job file.
    func job() throws(CommandFailure) -> PackagingJob {
        var job = PackagingJob(inputs: inputs, output: "")
        job.names = names
        job.overwrites = flags["overwrite"] != nil
        job.isSingleFile = flags["single-file"] != nil
        job.skipsUnsupported = flags["skip-unsupported"] != nil
        job.title = title?.value
        job.keyURI = keyURI?.value
        job.scheme = chosenScheme
        job.container = container?.value ?? (job.scheme == .sampleAES ? .ts : .fmp4)
        job.systems = systems?.value ?? Self.systems(of: job.scheme)
        // Players of cenc usually have no HLS support, so HLS playlists are written for it only on request.
        job.manifests = manifests?.value ?? (job.scheme == .cenc ? [.dash] : [.hls])
        if let ivSize { job.ivSize = ivSize.value }
        job.keyFormatVersions = keyFormatVersions?.value
        for setting in licenseURLs { job.licenseURLs.servers[setting.value.system] = setting.value.url }
        job.licenseURLs.fairPlayCertificate = certificateURL?.value
        do {
            job.output = try outputFolder()
            if let segmentDuration { job.segmentDuration = try Self.time(segmentDuration, "segment-duration") }
            job.clearLead = try clearLead.map { try Self.time($0, "clear-lead") }
            job.outputProtection = try outputProtection()
            job.live = try live()
            job.rotation = try keyRotation()
            job.keysArriveLater = fetchesKeys
            job.keys = try keys(job)
            try job.validate()
        } catch {
            throw failure(error)
        }
        return job
    }

    /// Returns the failure of a command for an error of the packager, with the option or the line of the job file.
    func failure(_ error: any Error) -> CommandFailure {
        switch error {
        case let failure as CommandFailure: return failure
        case let failure as JobFailure:
            let origin = failure.option.flatMap { location(of: $0) } ?? .commandLine
            if case .file(let name, let line) = origin {
                return .input("\(name):\(line): \(failure)")
            }
            return .usage(failure.option.map { "\(Self.shown($0)): \(failure.reason)" } ?? failure.reason)
        case let failure as OmissionFailure:
            let selection = failure.remainingKinds.flatMap(selectionOption).map { ", or with \($0)" } ?? ""
            return .input("\(failure)", next: "leave it out with --skip-unsupported\(selection)")
        case let failure as SignalingError: return .input("\(failure)")
        default: return .input("\(error)")
        }
    }

    /// Returns the location of an option; nil if it is not set.
    private func location(of option: String) -> Location? {
        switch option {
        case "keys", "iv": sharedKey?.location ?? classKeys.values.map(\.location).first
        case "hdcp": hdcp.first?.location
        case "license-url": licenseURLs.first?.location
        default: PackagingSetting.named(option)?.location(self) ?? flags[option]
        }
    }

    /// Returns an option's name as on the command line.
    private static func shown(_ option: String) -> String {
        switch option {
        case "input": "INPUT"
        case "keys": "--key"
        default: "--" + option
        }
    }
}
