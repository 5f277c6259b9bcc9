import ContentKeySession
import TextCoding

// The messages of a ScriptedDevice: JSON in place of an SPC, a CKC, a persistent key and a Sync SPC. Only a
// TestKeyServer and a ScriptedDevice understand them.

/// A key request of a scripted device.
struct ScriptedSPC {
    /// The number that the CKC must repeat, unique for each device; 0 is never a device's number.
    var number: Int
    let assetID: String
    let isRenewal: Bool
    let route: ContentKeyRoute
    /// The newest protocol version of the playlist.
    let version: UInt32

    init(number: Int, assetID: String, isRenewal: Bool, route: ContentKeyRoute, version: UInt32) {
        (self.number, self.assetID, self.isRenewal) = (number, assetID, isRenewal)
        (self.route, self.version) = (route, version)
    }

    /// Parses a request; nil if the bytes are not from a scripted device.
    init?(_ bytes: [UInt8]) {
        guard let json = JSONValue(answer: bytes), let number = json["scripted-spc"]?.wholeNumber,
            let assetID = json["asset"]?.text,
            let route = json["route"]?.text.flatMap(ContentKeyRoute.init),
            let version = json["version"]?.wholeNumber.flatMap(UInt32.init(exactly:))
        else { return nil }
        (self.number, self.assetID, self.route, self.version) = (number, assetID, route, version)
        isRenewal = json["renewal"] == .bool(true)
    }

    var bytes: [UInt8] {
        JSONValue.object([
            "scripted-spc": .integer(number), "asset": .string(assetID), "renewal": .bool(isRenewal),
            "route": .string(route.rawValue), "version": .integer(Int(version)),
        ]).encoded()
    }

    func record(_ request: TestLicenseRequest) -> RecordedRequest.Key {
        RecordedRequest.Key(
            assetID: assetID,
            isPersistable: request.isPersistable,
            isPreload: request.isPreload,
            isRenewal: isRenewal
        )
    }
}

/// A license for a scripted device.
struct ScriptedCKC {
    /// The durations of a persistent key in seconds; nil means unlimited.
    struct Persistence: Hashable {
        var storage: Int?
        var playback: Int?
        var hasDualExpiry = false
    }

    let number: Int
    let assetID: String
    let key: TestContentKey
    var lease: Int?
    var persistence: Persistence?
    var requiresHDCP = false

    init(number: Int, assetID: String, key: TestContentKey) {
        (self.number, self.assetID, self.key) = (number, assetID, key)
    }

    /// Parses a license; nil if the bytes are not for a scripted device.
    init?(_ bytes: [UInt8]) {
        guard let json = JSONValue(answer: bytes), let number = json["scripted-ckc"]?.wholeNumber,
            let assetID = json["asset"]?.text, let key = TestContentKey(json)
        else { return nil }
        self.init(number: number, assetID: assetID, key: key)
        lease = json["lease"]?.wholeNumber
        requiresHDCP = json["hdcp"] == .bool(true)
        persistence = json["persist"].map(Persistence.init)
    }

    var bytes: [UInt8] {
        JSONValue.object([
            "scripted-ckc": .integer(number), "asset": .string(assetID), "key": .string(Base64.encode(key.key)),
            "iv": .string(Base64.encode(key.initializationVector)), "lease": lease.map { .integer($0) },
            "hdcp": .bool(requiresHDCP), "persist": persistence?.json,
        ]).encoded()
    }
}

/// A persistent key of a scripted device.
struct ScriptedPersistentKey {
    /// The ID of the key, which stays the same at first playback, and the number of its replacements.
    let id: String
    var generation = 0
    let assetID: String
    let key: TestContentKey
    let acquired: Int
    var firstPlayed: Int?
    let persistence: ScriptedCKC.Persistence

    init(id: String, _ ckc: ScriptedCKC, _ persistence: ScriptedCKC.Persistence, acquired: Int) {
        (self.id, self.persistence, self.acquired) = (id, persistence, acquired)
        (assetID, key) = (ckc.assetID, ckc.key)
    }

    /// Parses a key; nil if the bytes are not from a scripted device.
    init?(_ bytes: [UInt8]) {
        guard let json = JSONValue(answer: bytes), let id = json["scripted-key"]?.text,
            let generation = json["generation"]?.wholeNumber, let assetID = json["asset"]?.text,
            let key = TestContentKey(json), let acquired = json["acquired"]?.wholeNumber, let terms = json["persist"]
        else { return nil }
        (self.id, self.generation, self.assetID, self.key, self.acquired) = (id, generation, assetID, key, acquired)
        persistence = ScriptedCKC.Persistence(terms)
        firstPlayed = json["played"]?.wholeNumber
    }

    var bytes: [UInt8] {
        JSONValue.object([
            "scripted-key": .string(id), "generation": .integer(generation), "asset": .string(assetID),
            "key": .string(Base64.encode(key.key)), "iv": .string(Base64.encode(key.initializationVector)),
            "acquired": .integer(acquired), "played": firstPlayed.map { .integer($0) }, "persist": persistence.json,
        ]).encoded()
    }

    /// The end of the key in seconds since 1970: of its storage before first playback, of its playback afterwards.
    var end: Int? {
        if let firstPlayed, persistence.hasDualExpiry { return persistence.playback.map { firstPlayed + $0 } }
        return persistence.storage.map { acquired + $0 }
    }
}

/// A report of a scripted device about a persistent key.
struct ScriptedReport {
    let assetID: String
    let challenge: UInt64
    /// The remaining time in seconds; nil if the key does not expire.
    let remaining: Int?
    /// True if the device has deleted the key.
    let isDeletion: Bool

    init(assetID: String, challenge: UInt64, remaining: Int?, isDeletion: Bool) {
        (self.assetID, self.challenge, self.remaining) = (assetID, challenge, remaining)
        self.isDeletion = isDeletion
    }

    /// Parses a report; nil if the bytes are not from a scripted device.
    init?(_ bytes: [UInt8]) {
        guard let json = JSONValue(answer: bytes), let digits = json["scripted-report"]?.text,
            let challenge = UInt64(digits, radix: 16), let assetID = json["asset"]?.text
        else { return nil }
        (self.assetID, self.challenge) = (assetID, challenge)
        (remaining, isDeletion) = (json["remaining"]?.wholeNumber, json["deleted"] == .bool(true))
    }

    var bytes: [UInt8] {
        JSONValue.object([
            "scripted-report": .string(Hexadecimal.encode(challenge)), "asset": .string(assetID),
            "remaining": remaining.map { .integer($0) }, "deleted": .bool(isDeletion),
        ]).encoded()
    }
}

extension ScriptedCKC.Persistence {
    fileprivate init(_ json: JSONValue) {
        self.init(
            storage: json["storage"]?.wholeNumber,
            playback: json["playback"]?.wholeNumber,
            hasDualExpiry: json["dual"] == .bool(true)
        )
    }

    fileprivate var json: JSONValue {
        .object([
            "storage": storage.map { .integer($0) }, "playback": playback.map { .integer($0) },
            "dual": .bool(hasDualExpiry),
        ])
    }
}

extension TestContentKey {
    fileprivate init?(_ json: JSONValue) {
        guard let key = json["key"]?.text.flatMap({ Base64.decode($0) }),
            let iv = json["iv"]?.text.flatMap({ Base64.decode($0) })
        else { return nil }
        self.init(key: key, initializationVector: iv)
    }
}
