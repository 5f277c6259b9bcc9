/// Which key each class of tracks is encrypted with: one for all, one for each, or some of their own and one for the
/// rest.
public struct TrackKeys: Sendable, Equatable {
    private var rest: PackagingKey?
    private var classes: [TrackClass: PackagingKey] = [:]

    /// One key for all tracks.
    public init(_ key: PackagingKey) { rest = key }

    /// New keys, one for each class.
    ///
    /// - Parameter generator: `SecureRandom` for every real key.
    public init(
        randomFor classes: some Sequence<TrackClass>,
        from generator: inout some RandomNumberGenerator
    ) {
        for trackClass in classes { self.classes[trackClass] = PackagingKey(randomFrom: &generator) }
    }

    /// Reads keys such as `KID:KEY:IV` for all tracks, or `UHD=KID:KEY:IV` for a class.
    ///
    /// - Parameters:
    ///   - texts: One key each.
    ///   - option: What an error calls them.
    /// - Throws: `invalid-key` for a text that holds none, an unknown class, or a class that has two;
    ///   `duplicate-key-id`.
    public init(parsing texts: [String], option: String = "--key") throws(SignalingError) {
        for text in texts {
            guard let sign = text.firstIndex(of: "=") else {
                guard rest == nil else { throw Self.second(option, "all tracks") }
                rest = try PackagingKey(parsing: text, option: option)
                continue
            }
            guard let trackClass = TrackClass(parsing: text[..<sign]) else {
                let known = TrackClass.allCases.map(\.rawValue).joined(separator: ", ")
                throw SignalingError(
                    .invalidKey,
                    option,
                    "before the equals sign stands a class of tracks: \(known)"
                )
            }
            guard classes[trackClass] == nil else { throw Self.second(option, "the class \(trackClass.rawValue)") }
            classes[trackClass] = try PackagingKey(parsing: String(text[text.index(after: sign)...]), option: option)
        }
        _ = try PackagingKey.index(all)
    }

    /// The key of a class.
    ///
    /// - Throws: `invalid-key` when it has none.
    public func key(for trackClass: TrackClass) throws(SignalingError) -> PackagingKey {
        guard let key = classes[trackClass] ?? rest else {
            throw SignalingError(
                .invalidKey,
                "key of the class \(trackClass.rawValue)",
                "there is none: give one for it, \(trackClass.rawValue)=KID:KEY:IV, or one without a class for all tracks"
            )
        }
        return key
    }

    /// All keys: those of classes in the order of ``TrackClass``, then the one for the rest.
    public var all: [PackagingKey] { TrackClass.allCases.compactMap { classes[$0] } + (rest.map { [$0] } ?? []) }

    private static func second(_ option: String, _ whose: String) -> SignalingError {
        SignalingError(.invalidKey, option, "there are two keys for \(whose): leave one out")
    }
}
