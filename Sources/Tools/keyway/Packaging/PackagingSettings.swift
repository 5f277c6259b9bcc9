import DRMSignaling
import Packager
import ToolSupport

/// The options of packaging as strings, from the command line or a job file, with their locations.
///
/// Both sources are parsed here, so that values and error messages are the same; ``job()`` parses the strings.
struct PackagingSettings {
    /// The location of a setting.
    enum Location: Hashable {
        /// On the command line.
        case commandLine
        /// In a job file.
        case file(String, line: Int)
    }

    /// A string and its location.
    struct Setting {
        var text: String
        var location: Location
    }

    /// The source of a key.
    struct KeySource {
        /// The form of the key bytes.
        enum Bytes {
            /// `KID:KEY` or `KID:KEY:IV`.
            case whole(String)
            /// A key and an optional IV; in hexadecimal, or `@FILE`.
            case parts(key: String, iv: String?)
            /// Apple's key file of 32 bytes.
            case file(String)
        }

        var bytes: Bytes
        var keyID: String?
        /// True if to ignore the IV of the key.
        var dropsIV = false
        var location: Location
    }

    /// The inputs.
    var inputs: [PackagingJob.Input] = []
    /// The options with a value, by name.
    var values: [String: Setting] = [:]
    /// The Boolean options, by name.
    var flags: [String: Location] = [:]
    /// The rules for HDCP-LEVEL and ALLOWED-CPC.
    var hdcp: [Setting] = []
    var allowedCPC: [Setting] = []
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

    /// The names of the options with a value.
    static let valueNames = [
        "out", "scheme", "container", "segment-duration", "key-uri", "systems", "clear-lead", "title", "manifests",
        "iv-size", "window", "target-duration", "start-date", "rotate-keys", "period-keys", "derive-keys", "key-lead",
        "key-timeout",
    ]
    /// The names of the Boolean options.
    static let flagNames = ["single-file", "overwrite", "dev", "live", "event"]

    /// True if to generate keys.
    var isDev: Bool { flags["dev"] != nil }

    /// Overrides settings of a job file with those of the command line.
    mutating func override(with other: PackagingSettings) {
        inputs += other.inputs
        values.merge(other.values) { $1 }
        flags.merge(other.flags) { $1 }
        hdcp += other.hdcp
        allowedCPC += other.allowedCPC
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
        var job = PackagingJob(inputs: inputs, output: values["out"]?.text ?? "")
        job.names = names
        job.overwrites = flags["overwrite"] != nil
        job.isSingleFile = flags["single-file"] != nil
        job.title = values["title"]?.text
        do {
            job.scheme = try scheme()
            job.container = try container(job.scheme)
            if let duration = try seconds("segment-duration") { job.segmentDuration = duration }
            job.clearLead = try seconds("clear-lead")
            job.systems = try systems(job.scheme)
            job.manifests = try manifests(job.scheme)
            if let setting = values["iv-size"] {
                guard let size = Int(setting.text) else { throw JobFailure("iv-size", "expected 8 or 16") }
                job.ivSize = size
            }
            job.keyURI = try values["key-uri"].map { uri in try located(uri.location) { try KeyURITemplate(uri.text) } }
            job.outputProtection = try outputProtection()
            job.live = try live()
            job.rotation = try rotation()
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
        case let failure as SignalingError: return .input("\(failure)")
        default: return .input("\(error)")
        }
    }

    /// Returns the location of an option; nil if it is not set.
    private func location(of option: String) -> Location? {
        switch option {
        case "keys", "iv": sharedKey?.location ?? classKeys.values.map(\.location).first
        case "hdcp": hdcp.first?.location
        default: values[option]?.location ?? flags[option]
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
