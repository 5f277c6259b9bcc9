import DRMSignaling
import Packager
import ToolSupport

/// The default values that the help of `keyway package` prints.
enum PackagingDefault {
    static let job = PackagingJob(inputs: [], output: "")
    static let uploadTimeout = DurationArgument.seconds(30)
    static let partDuration = DurationArgument(.milliseconds(Int64(LiveOptions.defaultPartDuration.seconds * 1000)))
    static let segmentDuration = DurationArgument(.seconds(job.segmentDuration.seconds))
    static let keyTimeout = DurationArgument(.seconds(KeyRotation(.segments(1)).timeout))
    static let window =
        switch LiveOptions.live.window {
        case .segments(let count): LengthArgument.segments(count).defaultValueDescription
        case .seconds(let seconds): DurationArgument(.seconds(seconds)).description
        case nil: "unlimited"
        }
}

extension PackagingSettings {
    /// Creates settings from the options of the command line.
    init(
        inputs: [PackagingJob.Input],
        _ packaging: PackagingOptions,
        _ encryption: EncryptionOptions,
        _ delivery: KeyDeliveryOptions,
        _ signals: KeySignalOptions,
        _ stream: StreamOptions
    ) throws(CommandFailure) {
        self.inputs = inputs
        out = Setting(packaging.out)
        container = Setting(packaging.container)
        manifests = Setting(packaging.manifests)
        segmentDuration = Setting(packaging.segmentDuration)
        scheme = Setting(encryption.scheme)
        keyURI = Setting(encryption.keyURI)
        systems = Setting(encryption.systems)
        clearLead = Setting(encryption.clearLead)
        title = Setting(encryption.title)
        ivSize = Setting(encryption.ivSize)
        keyFormatVersions = Setting(signals.keyFormatVersions)
        licenseURLs = signals.licenseURLs.compactMap { Setting($0) }
        certificateURL = Setting(signals.certificateURL)
        hdcp = encryption.hdcp.compactMap { Setting($0) }
        allowedCPC = encryption.allowedCPC.compactMap { Setting($0) }
        window = Setting(stream.window)
        targetDuration = Setting(stream.targetDuration)
        partDuration = Setting(stream.partDuration)
        utcTiming = Setting(stream.utcTiming)
        workFolder = Setting(stream.workFolder)
        uploadToken = Setting(stream.uploadToken)
        uploadTimeout = Setting(stream.uploadTimeout)
        startDate = Setting(stream.startDate)
        rotation = Setting(stream.rotation)
        periodKeys = Setting(stream.periodKeys)
        derivedKeys = Setting(stream.derivedKeys)
        keyLead = Setting(stream.keyLead)
        keyTimeout = Setting(stream.keyTimeout)
        if packaging.isSingleFile { flags["single-file"] = .commandLine }
        if packaging.overwrites { flags["overwrite"] = .commandLine }
        if packaging.skipsUnsupported { flags["skip-unsupported"] = .commandLine }
        if delivery.isDev { flags["dev"] = .commandLine }
        if stream.isLive { flags["live"] = .commandLine }
        if stream.isEvent { flags["event"] = .commandLine }
        if stream.isLowLatency { flags["low-latency"] = .commandLine }
        sharedKey = try Self.sharedKey(encryption)
        for argument in encryption.trackKeys {
            guard classKeys[argument.trackClass] == nil else {
                throw .usage(
                    "--track-key: \(argument.trackClass.rawValue) has two keys",
                    next: "leave out one of the two"
                )
            }
            classKeys[argument.trackClass] = KeySource(bytes: .whole(argument.key), location: .commandLine)
        }
    }

    private static func sharedKey(_ options: EncryptionOptions) throws(CommandFailure) -> KeySource? {
        switch (options.key, options.keyFile) {
        case (nil, nil):
            guard options.keyID == nil, options.iv == nil else {
                throw .usage("--key-id and --iv require a key", next: "give --key, or --key-file")
            }
            return nil
        case (let key?, nil):
            return KeySource(bytes: .parts(key: key, iv: options.iv), keyID: options.keyID, location: .commandLine)
        case (nil, let file?):
            guard options.iv == nil else {
                throw .usage("--iv cannot be combined with --key-file, which contains the IV", next: "leave out --iv")
            }
            return KeySource(bytes: .file(file), keyID: options.keyID, location: .commandLine)
        case (.some, .some):
            throw .usage("--key and --key-file cannot be combined", next: "leave out one of the two")
        }
    }
}
