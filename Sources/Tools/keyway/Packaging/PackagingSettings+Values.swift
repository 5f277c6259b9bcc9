import DRMSignaling
import FPSCrypto
import Packager

/// What the words mean.
extension PackagingSettings {
    func scheme() throws -> TrackProtection.Scheme? {
        guard let setting = values["scheme"] else {
            // Who gives keys wants them used.
            guard isDev || exchange != nil || sharedKey != nil || !classKeys.isEmpty || keyFile != nil else {
                return nil
            }
            return values["container"]?.text.lowercased() == "ts" ? .sampleAES : .cbcs
        }
        if setting.text.lowercased() == "none" { return nil }
        guard let scheme = TrackProtection.Scheme(rawValue: setting.text.lowercased()) else {
            throw JobFailure("scheme", "“\(setting.text)” is none; there are cbcs, cenc, sample-aes, aes-128 and none")
        }
        return scheme
    }

    func container(_ scheme: TrackProtection.Scheme?) throws -> PackagingJob.Container {
        guard let setting = values["container"] else { return scheme == .sampleAES ? .ts : .fmp4 }
        guard let container = PackagingJob.Container(rawValue: setting.text.lowercased()) else {
            throw JobFailure("container", "“\(setting.text)” is none; there are fmp4 and ts")
        }
        return container
    }

    func systems(_ scheme: TrackProtection.Scheme?) throws -> [ProtectionSystem] {
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
    func manifests(_ scheme: TrackProtection.Scheme?) throws -> Set<PackagingJob.Manifest> {
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

    func seconds(_ option: String) throws -> MediaTime? {
        guard let setting = values[option] else { return nil }
        guard let seconds = Double(setting.text), seconds.isFinite, abs(seconds) < 1e6 else {
            throw JobFailure(option, "“\(setting.text)” is no number of seconds")
        }
        return MediaTime(Int64((seconds * 90_000).rounded()), timescale: 90_000)
    }

    func outputProtection() throws -> OutputProtectionRules {
        var rules = OutputProtectionRules.standard
        for setting in hdcp { try located(setting.place) { try rules.require(hdcp: setting.text) } }
        for setting in allowedCPC { try located(setting.place) { try rules.require(cpc: setting.text) } }
        return rules
    }

    func keys(_ job: PackagingJob) throws -> ContentKeys {
        if exchange != nil, isDev || sharedKey != nil || !classKeys.isEmpty || keyFile != nil {
            throw JobFailure("speke", "it fetches keys, and keys are given or made: leave one of the two out")
        }
        if fetchesKeys { return try checkFetched(job) }
        if let exchange { return try exchange.placeholders(for: job) }
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

    func key(_ source: KeySource, _ name: String) throws -> PackagingKey {
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
                let content = SecretBytes(copying: try InputFile.readSecret(path))
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
        let bytes = try InputFile.readSecret(String(text.dropFirst()))
        return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    }

    /// Has errors say the line of the job file.
    func located<Result>(_ place: Place, _ body: () throws -> Result) throws -> Result {
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
