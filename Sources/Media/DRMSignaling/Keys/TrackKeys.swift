/// The keys of track classes: one key for all classes, one for each, or keys for some classes and one for the others.
public struct TrackKeys: Sendable, Equatable {
    private var defaultKey: PackagingKey?
    private var classes: [TrackClass: PackagingKey] = [:]

    /// Creates keys with one key for all tracks.
    public init(_ key: PackagingKey) { defaultKey = key }

    /// Generates random keys, one for each class.
    ///
    /// - Parameter generator: The random number generator, which must be `SecureRandom` except in tests.
    public init(
        randomFor classes: some Sequence<TrackClass>,
        from generator: inout some RandomNumberGenerator
    ) {
        for trackClass in classes { self.classes[trackClass] = PackagingKey(randomFrom: &generator) }
    }

    /// Parses keys such as `KID:KEY:IV` for all tracks, or `UHD=KID:KEY:IV` for a class.
    ///
    /// - Parameters:
    ///   - texts: The texts of the keys.
    ///   - option: The name of the option, for errors.
    /// - Throws: `invalid-key` for an invalid key, an unknown class, or a class with two keys; `duplicate-key-id`.
    public init(parsing texts: [String], option: String = "--key") throws(SignalingError) {
        for text in texts {
            guard let sign = text.firstIndex(of: "=") else {
                guard defaultKey == nil else { throw Self.second(option, "all tracks") }
                defaultKey = try PackagingKey(parsing: text, option: option)
                continue
            }
            guard let trackClass = TrackClass(parsing: text[..<sign]) else {
                let known = TrackClass.allCases.map(\.rawValue).joined(separator: ", ")
                throw SignalingError(
                    .invalidKey,
                    option,
                    "the text before the equals sign must be a track class: \(known)"
                )
            }
            guard classes[trackClass] == nil else { throw Self.second(option, "the class \(trackClass.rawValue)") }
            classes[trackClass] = try PackagingKey(parsing: String(text[text.index(after: sign)...]), option: option)
        }
        _ = try PackagingKey.index(all)
    }

    /// Returns the key of a class.
    ///
    /// - Throws: `invalid-key` if the class has no key.
    public func key(for trackClass: TrackClass) throws(SignalingError) -> PackagingKey {
        guard let key = classes[trackClass] ?? defaultKey else {
            throw SignalingError(
                .invalidKey,
                "key of the class \(trackClass.rawValue)",
                "there is no key for this class: give \(trackClass.rawValue)=KID:KEY:IV, or KID:KEY:IV for all tracks"
            )
        }
        return key
    }

    /// All keys: those of classes in the order of ``TrackClass``, then the one for the other classes.
    public var all: [PackagingKey] { TrackClass.allCases.compactMap { classes[$0] } + (defaultKey.map { [$0] } ?? []) }

    private static func second(_ option: String, _ whose: String) -> SignalingError {
        SignalingError(.invalidKey, option, "there are two keys for \(whose): remove one")
    }
}
