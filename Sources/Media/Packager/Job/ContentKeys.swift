public import DRMSignaling
import FPSCrypto

/// The content keys of a presentation: one for all, one for each class of tracks, or a mixture of the two.
public struct ContentKeys: Sendable {
    /// The key of the classes that have none of their own.
    public var shared: PackagingKey?
    /// The keys of single classes.
    public var classes: [TrackClass: PackagingKey] = [:]
    /// What a key server said of them, for those who are signaled to.
    package var systemData = KeySystemData()

    /// No keys.
    public init() {}

    /// One key for all.
    public init(shared: PackagingKey) { self.shared = shared }

    /// Whether there are none.
    public var isEmpty: Bool { shared == nil && classes.isEmpty }

    /// The key of a class; nil when there is none.
    public subscript(trackClass: TrackClass) -> PackagingKey? { classes[trackClass] ?? shared }

    /// All keys with what they are for, the shared one first.
    package var all: [(trackClass: TrackClass?, key: PackagingKey)] {
        (shared.map { [(nil, $0)] } ?? [])
            + TrackClass.allCases.compactMap { trackClass in classes[trackClass].map { (trackClass, $0) } }
    }

    /// Gives every key without an initialization vector a random one. Equal key IDs get equal ones.
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

    /// The same keys with other initialization vectors, each random: for counters, of which no two may meet.
    func withRandomIVs() throws(SignalingError) -> ContentKeys {
        var keys = self
        if let key = shared { keys.shared = try PackagingKey(keyID: key.keyID, key: key.key, iv: nil) }
        for (trackClass, key) in classes {
            keys.classes[trackClass] = try PackagingKey(keyID: key.keyID, key: key.key, iv: nil)
        }
        try keys.addRandomIVs()
        return keys
    }

    /// New random keys, IDs and initialization vectors, one for each class.
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
