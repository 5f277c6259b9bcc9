import DRMSignaling
import FPSCrypto
import Packager
import ToolSupport

/// The values of a job that depend on several settings.
extension PackagingSettings {
    /// The scheme; nil to leave the media clear. Keys without a scheme imply the default scheme of the container.
    var chosenScheme: TrackProtection.Scheme? {
        if let scheme { return scheme.value.scheme }
        guard isDev || exchange != nil || sharedKey != nil || !classKeys.isEmpty || keyFile != nil else { return nil }
        return container?.value == .ts ? .sampleAES : .cbcs
    }

    /// Returns the default systems of a scheme.
    static func systems(of scheme: TrackProtection.Scheme?) -> [ProtectionSystem] {
        switch scheme {
        case nil: []
        case .aes128: [.identity]
        case .cbcs, .sampleAES: [.fairPlay]
        case .cenc: [.common]
        }
    }

    /// Returns the time of a setting in units of 1/90,000 s.
    static func time(_ setting: Setting<DurationArgument>, _ option: String) throws(JobFailure) -> RationalTime {
        let maximum = DurationArgument.seconds(10 * 86_400)
        guard setting.value <= maximum else {
            throw JobFailure(option, "expected a duration of at most \(maximum), not \(setting.value)")
        }
        return RationalTime(Int64((setting.value.seconds * 90_000).rounded()), timescale: 90_000)
    }

    func outputProtection() throws(SignalingError) -> OutputProtectionRules {
        var rules = OutputProtectionRules.standard
        for setting in hdcp + allowedCPC { try setting.value.add(to: &rules) }
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
            case .whole(let key): return try key.key(option: name)
            case .parts(let key, let iv):
                return try PackagingKey(
                    keyID: try keyID(source),
                    key: try key.secret(16, option: "--key"),
                    iv: try iv.map { try $0.secret(16, option: "--iv") }
                )
            case .file(let input):
                let content = SecretBytes(copying: try InputFile.readSecret(input.path))
                let file = try ContentKeyFile(content, name: input.path)
                return try PackagingKey(keyID: try keyID(source), key: file.key, iv: source.dropsIV ? nil : file.iv)
            }
        }
    }

    /// Returns the key ID. Without one, it is all zeros, as in Apple's tool, if the key URI does not contain it.
    private func keyID(_ source: KeySource) throws -> ContentKeyID {
        if let keyID = source.keyID { return keyID }
        let isNamedByURI = keyURI.map { !$0.value.placeholders.contains(.kid) } ?? false
        guard isNamedByURI, let zero = ContentKeyID([UInt8](repeating: 0, count: 16)) else {
            throw CommandFailure.usage(
                "--key-id is missing",
                next: "give 32 hexadecimal digits, or a --key-uri without {kid}"
            )
        }
        return zero
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
