import DRMSignalling
import FPSCrypto
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
        "iv-size",
    ]
    /// The options that are yes or no.
    static let flagNames = ["single-file", "overwrite", "dev"]

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
        case let failure as SignallingError: return .input("\(failure)")
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

extension PackagingSettings {
    private func scheme() throws -> TrackProtection.Scheme? {
        guard let setting = values["scheme"] else {
            // Who gives keys wants them used.
            guard isDev || exchange != nil || sharedKey != nil || !classKeys.isEmpty else { return nil }
            return values["container"]?.text.lowercased() == "ts" ? .sampleAES : .cbcs
        }
        if setting.text.lowercased() == "none" { return nil }
        guard let scheme = TrackProtection.Scheme(rawValue: setting.text.lowercased()) else {
            throw JobFailure("scheme", "“\(setting.text)” is none; there are cbcs, cenc, sample-aes, aes-128 and none")
        }
        return scheme
    }

    private func container(_ scheme: TrackProtection.Scheme?) throws -> PackagingJob.Container {
        guard let setting = values["container"] else { return scheme == .sampleAES ? .ts : .fmp4 }
        guard let container = PackagingJob.Container(rawValue: setting.text.lowercased()) else {
            throw JobFailure("container", "“\(setting.text)” is none; there are fmp4 and ts")
        }
        return container
    }

    private func systems(_ scheme: TrackProtection.Scheme?) throws -> [ProtectionSystem] {
        guard let setting = values["systems"] else {
            switch scheme {
            case nil: return []
            case .aes128: return [.identity]
            case .cbcs, .sampleAES: return [.fairPlay]
            case .cenc: return [.common]
            }
        }
        return try located(setting.place) { try ProtectionSystem.parse(list: setting.text) }
    }

    /// cenc is for players that have no HLS of their own, so that it gets playlists when somebody asks for them.
    private func manifests(_ scheme: TrackProtection.Scheme?) throws -> Set<PackagingJob.Manifest> {
        guard let setting = values["manifests"] else { return scheme == .cenc ? [.dash] : [.hls] }
        var manifests: Set<PackagingJob.Manifest> = []
        for word in setting.text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            guard let manifest = PackagingJob.Manifest(rawValue: word.filter { !$0.isWhitespace }) else {
                throw JobFailure("manifests", "“\(word)” is none; there are hls and dash")
            }
            manifests.insert(manifest)
        }
        return manifests
    }

    private func seconds(_ option: String) throws -> MediaTime? {
        guard let setting = values[option] else { return nil }
        guard let seconds = Double(setting.text), seconds.isFinite, abs(seconds) < 1e6 else {
            throw JobFailure(option, "“\(setting.text)” is no number of seconds")
        }
        return MediaTime(Int64((seconds * 90_000).rounded()), timescale: 90_000)
    }

    private func outputProtection() throws -> OutputProtectionRules {
        var rules = OutputProtectionRules.standard
        for setting in hdcp { try located(setting.place) { try rules.require(hdcp: setting.text) } }
        for setting in allowedCPC { try located(setting.place) { try rules.require(cpc: setting.text) } }
        return rules
    }

    private func keys(_ job: PackagingJob) throws -> ContentKeys {
        if let exchange {
            guard !isDev, sharedKey == nil, classKeys.isEmpty else {
                throw JobFailure("speke", "it fetches keys, and keys are given or made: leave one of the two out")
            }
            return try exchange.placeholders(for: job)
        }
        if isDev {
            guard sharedKey == nil, classKeys.isEmpty else {
                throw JobFailure("dev", "it makes keys, and keys are given: leave one of the two out")
            }
            guard job.scheme != nil else {
                throw JobFailure("dev", "it makes keys, and the scheme none needs none: leave one of the two out")
            }
            return try .random()
        }
        var keys = ContentKeys()
        keys.shared = try sharedKey.map { try key($0, "--key") }
        for (trackClass, source) in classKeys {
            keys.classes[trackClass] = try key(source, "the \(trackClass.rawValue) key")
        }
        let needsServersIV = job.systems.contains(.fairPlay)
        if !needsServersIV, !(job.scheme == .aes128 && usesSequenceIVs) { try keys.addRandomIVs() }
        return keys
    }

    private func key(_ source: KeySource, _ name: String) throws -> PackagingKey {
        try located(source.place) {
            switch source.bytes {
            case .whole(let text):
                let content = try Self.content(text)
                return try PackagingKey(parsing: content, option: name)
            case .parts(let key, let iv):
                return try PackagingKey(
                    keyID: try keyID(source),
                    key: try HexArgument.secret(key, option: "--key", count: 16),
                    iv: try iv.map { try HexArgument.secret($0, option: "--iv", count: 16) }
                )
            case .file(let path):
                let content = SecretBytes(copying: try InputFile.read(path))
                let file = try ContentKeyFile(content, name: path)
                return try PackagingKey(keyID: try keyID(source), key: file.key, iv: source.dropsIV ? nil : file.iv)
            }
        }
    }

    /// The key ID. Without one it is all zeros, as Apple's tool has it, where nothing is made of it.
    private func keyID(_ source: KeySource) throws -> ContentKeyID {
        if let text = source.keyID { return try ContentKeyID(parsing: text, field: "--key-id") }
        let isNamedByURI = values["key-uri"].map { !$0.text.contains("{kid}") } ?? false
        guard isNamedByURI, let zero = ContentKeyID([UInt8](repeating: 0, count: 16)) else {
            throw CommandFailure.usage(
                "--key-id is missing: the key has no name",
                next: "give 32 hexadecimal digits, or a --key-uri without {kid}"
            )
        }
        return zero
    }

    /// The text itself, or of the file that `@` names.
    private static func content(_ text: String) throws(CommandFailure) -> String {
        guard text.hasPrefix("@") else { return text }
        let bytes = try InputFile.read(String(text.dropFirst()))
        return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    }

    /// Has errors say the line of the job file.
    private func located<Result>(_ place: Place, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as CommandFailure {
            guard case .file(let name, let line) = place else { throw error }
            let kind = error.kind == .file ? error.kind : .input
            throw CommandFailure(kind: kind, what: "\(name):\(line): \(error.what)", next: error.next)
        } catch {
            guard case .file(let name, let line) = place else { throw error }
            throw CommandFailure.input("\(name):\(line): \(error)")
        }
    }
}
