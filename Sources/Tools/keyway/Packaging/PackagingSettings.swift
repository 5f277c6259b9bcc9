import DRMSignaling
import Packager

/// The options of packaging as they were written, on a command line or in a job file, each with its place.
///
/// Both ways lead through here, so that they mean the same and complain alike; ``job()`` makes values of the words.
struct PackagingSettings {
    /// Where something was written.
    enum Place: Hashable {
        /// On the command line.
        case commandLine
        /// In a job file.
        case file(String, line: Int)
    }

    /// A word and its place.
    struct Setting {
        var text: String
        var place: Place
    }

    /// Where a key comes from.
    struct KeySource {
        /// How its bytes are given.
        enum Bytes {
            /// `KID:KEY` or `KID:KEY:IV`.
            case whole(String)
            /// A key, and an IV or none; in hexadecimal, or `@FILE`.
            case parts(key: String, iv: String?)
            /// Apple's key file of 32 bytes.
            case file(String)
        }

        var bytes: Bytes
        var keyID: String?
        /// Whether the IV beside the key is not wanted.
        var dropsIV = false
        var place: Place
    }

    /// The inputs.
    var inputs: [PackagingJob.Input] = []
    /// Options that are one word, by their names.
    var values: [String: Setting] = [:]
    /// Options that are yes or no, by their names.
    var flags: [String: Place] = [:]
    /// Exceptions for HDCP-LEVEL and ALLOWED-CPC.
    var hdcp: [Setting] = []
    var allowedCPC: [Setting] = []
    /// The key of the classes that have none of their own.
    var sharedKey: KeySource?
    /// The keys of single classes.
    var classKeys: [TrackClass: KeySource] = [:]
    /// Whether AES-128 takes the numbers of segments as IVs where a key has none.
    var usesSequenceIVs = false
    /// How keys are fetched from a key server; nil: they are not.
    var exchange: Exchange?
    /// What files are called.
    var names = PackagingJob.FileNames()

    /// The options that are one word.
    static let valueNames = [
        "out", "scheme", "container", "segment-duration", "key-uri", "systems", "clear-lead", "title", "manifests",
        "iv-size", "window", "target-duration", "start-date", "rotate-keys", "period-keys", "derive-keys", "key-lead",
        "key-patience",
    ]
    /// The options that are yes or no.
    static let flagNames = ["single-file", "overwrite", "dev", "live", "event"]

    /// Whether keys are to be made.
    var isDev: Bool { flags["dev"] != nil }

    /// Takes what the command line says over what a job file says.
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

    /// The job.
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
                guard let size = Int(setting.text) else { throw JobFailure("iv-size", "it is 8 or 16") }
                job.ivSize = size
            }
            job.keyURI = try values["key-uri"].map { uri in try located(uri.place) { try KeyURITemplate(uri.text) } }
            job.outputProtection = try outputProtection()
            job.live = try live()
            job.rotation = try rotation()
            job.awaitsKeys = fetchesKeys
            job.keys = try keys(job)
            try job.validate()
        } catch {
            throw failure(error)
        }
        return job
    }

    /// What an error of the packager says to who wrote these settings.
    func failure(_ error: any Error) -> CommandFailure {
        switch error {
        case let failure as CommandFailure: return failure
        case let failure as JobFailure:
            let origin = failure.option.flatMap { place(of: $0) } ?? .commandLine
            if case .file(let name, let line) = origin {
                return .input("\(name):\(line): \(failure)")
            }
            return .usage(failure.option.map { "\(Self.shown($0)): \(failure.reason)" } ?? failure.reason)
        case let failure as SignalingError: return .input("\(failure)")
        default: return .input("\(error)")
        }
    }

    /// Where an option was written; nil when it was not.
    private func place(of option: String) -> Place? {
        switch option {
        case "keys", "iv": sharedKey?.place ?? classKeys.values.map(\.place).first
        case "hdcp": hdcp.first?.place
        default: values[option]?.place ?? flags[option]
        }
    }

    /// An option's name as it stands on a command line.
    private static func shown(_ option: String) -> String {
        switch option {
        case "input": "INPUT"
        case "keys": "--key"
        default: "--" + option
        }
    }
}
