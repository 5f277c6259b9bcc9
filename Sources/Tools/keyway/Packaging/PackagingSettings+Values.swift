import DRMSignaling
import FPSCrypto
import Packager
import ToolSupport

/// The parsing of settings into values.
extension PackagingSettings {
    func scheme() throws -> TrackProtection.Scheme? {
        guard let setting = values["scheme"] else {
            // Keys without a scheme imply the default scheme of the container.
            guard isDev || exchange != nil || sharedKey != nil || !classKeys.isEmpty || keyFile != nil else {
                return nil
            }
            return values["container"]?.text.lowercased() == "ts" ? .sampleAES : .cbcs
        }
        if setting.text.lowercased() == "none" { return nil }
        guard let scheme = TrackProtection.Scheme(rawValue: setting.text.lowercased()) else {
            throw JobFailure(
                "scheme",
                "“\(setting.text)” is not a scheme: expected cbcs, cenc, sample-aes, aes-128, or none"
            )
        }
        return scheme
    }

    func container(_ scheme: TrackProtection.Scheme?) throws -> PackagingJob.Container {
        guard let setting = values["container"] else { return scheme == .sampleAES ? .ts : .fmp4 }
        guard let container = PackagingJob.Container(rawValue: setting.text.lowercased()) else {
            throw JobFailure("container", "“\(setting.text)” is not a container: expected fmp4 or ts")
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
        return try located(setting.location) { try ProtectionSystem.parse(list: setting.text) }
    }

    /// Players of cenc usually have no HLS support, so HLS playlists are written for it only on request.
    func manifests(_ scheme: TrackProtection.Scheme?) throws -> Set<PackagingJob.Manifest> {
        guard let setting = values["manifests"] else { return scheme == .cenc ? [.dash] : [.hls] }
        var manifests: Set<PackagingJob.Manifest> = []
        for word in setting.text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            guard let manifest = PackagingJob.Manifest(rawValue: word.filter { !$0.isWhitespace }) else {
                throw JobFailure("manifests", "“\(word)” is not a manifest type: expected hls, dash, or hls,dash")
            }
            manifests.insert(manifest)
        }
        return manifests
    }

    func seconds(_ option: String) throws -> RationalTime? {
        guard let setting = values[option] else { return nil }
        guard let seconds = Double(setting.text), seconds.isFinite, abs(seconds) < 1e6 else {
            throw JobFailure(option, "“\(setting.text)” is not a number of seconds")
        }
        return RationalTime(Int64((seconds * 90_000).rounded()), timescale: 90_000)
    }

    func outputProtection() throws -> OutputProtectionRules {
        var rules = OutputProtectionRules.standard
        for setting in hdcp { try located(setting.location) { try rules.require(hdcp: setting.text) } }
        for setting in allowedCPC { try located(setting.location) { try rules.require(cpc: setting.text) } }
        return rules
    }

    func keys(_ job: PackagingJob) throws -> ContentKeys {
        if exchange != nil, isDev || sharedKey != nil || !classKeys.isEmpty || keyFile != nil {
            throw JobFailure("speke", "requests keys, but keys are given or generated: leave out one of the two")
        }
        if fetchesKeys { return try checkFetched(job) }
        if let exchange { return try exchange.placeholders(for: job) }
        if isDev {
            guard sharedKey == nil, classKeys.isEmpty else {
                throw JobFailure("dev", "generates keys, but keys are given: leave out one of the two")
            }
            guard job.scheme != nil else {
                throw JobFailure("dev", "generates keys, but the scheme is none: leave out one of the two")
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
        try located(source.location) {
            switch source.bytes {
            case .whole(let text):
                let content = try Self.content(text)
                return try PackagingKey(parsing: content, option: name)
            case .parts(let key, let iv):
                return try PackagingKey(
                    keyID: try keyID(source),
                    key: try HexArgument(argument: key).secret(16, option: "--key"),
                    iv: try iv.map { try HexArgument(argument: $0).secret(16, option: "--iv") }
                )
            case .file(let path):
                let content = SecretBytes(copying: try InputFile.readSecret(path))
                let file = try ContentKeyFile(content, name: path)
                return try PackagingKey(keyID: try keyID(source), key: file.key, iv: source.dropsIV ? nil : file.iv)
            }
        }
    }

    /// Returns the key ID. Without one, it is all zeros, as in Apple's tool, if the key URI does not contain it.
    private func keyID(_ source: KeySource) throws -> ContentKeyID {
        if let text = source.keyID { return try ContentKeyID(parsing: text, field: "--key-id") }
        let isNamedByURI = values["key-uri"].map { !$0.text.contains("{kid}") } ?? false
        guard isNamedByURI, let zero = ContentKeyID([UInt8](repeating: 0, count: 16)) else {
            throw CommandFailure.usage(
                "--key-id is missing",
                next: "give 32 hexadecimal digits, or a --key-uri without {kid}"
            )
        }
        return zero
    }

    /// Returns the text, or the content of the file whose name follows `@`.
    private static func content(_ text: String) throws(CommandFailure) -> String {
        guard text.hasPrefix("@") else { return text }
        let bytes = try InputFile.readSecret(String(text.dropFirst()))
        return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    }

    /// Performs a closure, and adds the line of the job file to its errors.
    func located<Result>(_ location: Location, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as CommandFailure {
            guard case .file(let name, let line) = location else { throw error }
            let kind = error.kind == .file ? error.kind : .input
            throw CommandFailure(kind: kind, what: "\(name):\(line): \(error.what)", next: error.next)
        } catch {
            guard case .file(let name, let line) = location else { throw error }
            throw CommandFailure.input("\(name):\(line): \(error)")
        }
    }
}
