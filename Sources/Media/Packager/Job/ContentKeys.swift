public import DRMSignaling
import FPSCrypto

/// The content keys of a presentation: one key for all track classes, one for each class, or a combination.
public struct ContentKeys: Sendable {
    /// The key of the track classes that have no entry in ``classes``.
    public var shared: PackagingKey?
    /// The keys of individual track classes.
    public var classes: [TrackClass: PackagingKey] = [:]
    /// The DRM system data that a key server returned for the keys (SPEKE).
    package var systemData = KeySystemData()
    /// The output protection that a key server requires for classes (SPEKE v2.1).
    package var outputProtection: [TrackClass: OutputProtection] = [:]

    /// Creates an empty set of keys.
    public init() {}

    /// Creates a set with one key for all track classes.
    public init(shared: PackagingKey) { self.shared = shared }

    /// True if there are no keys.
    public var isEmpty: Bool { shared == nil && classes.isEmpty }

    /// The key of a track class, if any.
    public subscript(trackClass: TrackClass) -> PackagingKey? { classes[trackClass] ?? shared }

    /// All keys with the track class of each, the shared key (class nil) first.
    package var all: [(trackClass: TrackClass?, key: PackagingKey)] {
        (shared.map { [(nil, $0)] } ?? [])
            + TrackClass.allCases.compactMap { trackClass in classes[trackClass].map { (trackClass, $0) } }
    }

    /// Adds a random initialization vector to every key that has none. Keys with the same ID get the same vector.
    public mutating func addRandomIVs() throws(SignalingError) {
        var random = SecureRandom()
        var known: [ContentKeyID: SecretBytes] = [:]
        func completed(_ key: PackagingKey) throws(SignalingError) -> PackagingKey {
            guard key.iv == nil else { return key }
            let iv = known[key.keyID] ?? SecretBytes(count: 16, randomFrom: &random)
            known[key.keyID] = iv
            return try PackagingKey(keyID: key.keyID, key: key.key, iv: iv)
        }
        if let key = shared { shared = try completed(key) }
        for trackClass in TrackClass.allCases {
            if let key = classes[trackClass] { classes[trackClass] = try completed(key) }
        }
    }

    /// Returns the same keys with new random initialization vectors: counters (`cenc`) must not overlap.
    func withRandomIVs() throws(SignalingError) -> ContentKeys {
        var keys = self
        if let key = shared { keys.shared = try PackagingKey(keyID: key.keyID, key: key.key, iv: nil) }
        for (trackClass, key) in classes {
            keys.classes[trackClass] = try PackagingKey(keyID: key.keyID, key: key.key, iv: nil)
        }
        try keys.addRandomIVs()
        return keys
    }

    /// Generates random keys, key IDs and initialization vectors, one of each for each track class.
    public static func random(for trackClasses: [TrackClass] = TrackClass.allCases) throws(SignalingError)
        -> ContentKeys
    {
        var random = SecureRandom()
        var keys = ContentKeys()
        for trackClass in trackClasses {
            let bytes: [UInt8] = [random.next(), random.next()].flatMap { half in
                stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: half >> UInt64($0)) }
            }
            guard let keyID = ContentKeyID(bytes) else { continue }
            keys.classes[trackClass] = try PackagingKey(
                keyID: keyID,
                key: SecretBytes(count: 16, randomFrom: &random),
                iv: SecretBytes(count: 16, randomFrom: &random)
            )
        }
        return keys
    }
}
