import FPSMessages
import FoundationEssentials

// A policy in JSON. Grammar, all fields optional, unknown ones are errors:
//
//     {"name": "…", "lease": DURATION, "rental": DURATION,
//      "persist": {} | {"validity": DURATION} | {"storage": DURATION, "playback": DURATION, "fallback": DURATION},
//      "hdcp": "none" | "type0" | "type1", "securityLevel": "audio" | "baseline" | "main" (also "appleBaseline",
//      "appleMain"), "minimumKDL": NUMBER, "virtualMachines" | "airplay" | "adapter" | "undatedSPC": "allow" | "deny",
//      "maximumSPCAge": DURATION, "osVersions": {"appleMobile": "15.0.0", …}}
//
// DURATION is ISO 8601: weeks, days, hours, minutes, seconds.

extension LicensePolicy {
    /// Reads and validates a policy.
    ///
    /// - Parameters:
    ///   - json: a JSON object in UTF-8.
    ///   - track: what the policy is meant for, if that is known.
    /// - Throws: ``PolicyError`` for the first mistake found.
    public init(json: some Collection<UInt8>, for track: TrackKind = .unspecified) throws(PolicyError) {
        do {
            self = try JSONDecoder().decode(LicensePolicy.self, from: Data(json))
        } catch let error as PolicyError {
            throw error
        } catch let error as DecodingError {
            throw PolicyError(error)
        } catch {
            throw PolicyError(.notAnObject, field: "", reason: "not readable as JSON")
        }
        try validate(for: track)
    }

    /// The policy as JSON, its fields in alphabetical order.
    public var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding strings, numbers and dictionaries of strings cannot fail.
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }
}

extension LicensePolicy: Codable {
    private enum Field: String, CaseIterable {
        case name, lease, rental, persist, hdcp, securityLevel, minimumKDL, virtualMachines, airplay, adapter
        case maximumSPCAge, undatedSPC, osVersions

        /// Fields of the design that need a store's memory of leases, devices and accounts to be enforced.
        static let unenforced: Set<String> = [
            "streams", "devices", "rentalStart", "bindRentalToDevice", "renewAfterExpiry", "networks", "origins",
        ]
    }

    /// Reads the fields; ``init(json:for:)`` is the way in, since it validates as well.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: AnyKey.self)
        for key in fields.allKeys where Field(rawValue: key.stringValue) == nil {
            guard Field.unenforced.contains(key.stringValue) else {
                throw PolicyError(
                    .unknownField,
                    field: key.stringValue,
                    reason: "no such field; known are " + Field.allCases.map(\.rawValue).joined(separator: ", ")
                )
            }
            throw PolicyError(
                .unenforcedField,
                field: key.stringValue,
                reason: "this version cannot enforce it yet, and does not accept what it would not keep"
            )
        }
        func value<Value: Decodable>(_ field: Field) throws -> Value? {
            try fields.decodeIfPresent(Value.self, forKey: AnyKey(field.rawValue))
        }
        func duration(_ field: Field) throws -> Seconds? {
            try value(field).map { try Seconds(json: $0, field: field.rawValue) }
        }
        func choice<Choice: RawRepresentable & CaseIterable>(_ field: Field) throws -> Choice?
        where Choice.RawValue == String {
            guard let text: String = try value(field) else { return nil }
            guard let choice = Choice(rawValue: text) else {
                throw PolicyError(
                    .invalidValue,
                    field: field.rawValue,
                    reason: "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ") + " is expected"
                )
            }
            return choice
        }
        let spelled: String? = try value(.securityLevel)
        let level = spelled.map { ["appleBaseline": "baseline", "appleMain": "main"][$0] ?? $0 }
        if let level, Level(rawValue: level) == nil {
            throw PolicyError(.invalidValue, field: "securityLevel", reason: "one of audio, baseline, main is expected")
        }
        self.init(
            name: try value(.name),
            lease: try duration(.lease),
            rental: try duration(.rental),
            persist: try value(.persist),
            hdcp: try choice(.hdcp),
            securityLevel: level.flatMap(Level.init(rawValue:)),
            minimumKDL: try Self.minimumKDL(try value(.minimumKDL)),
            virtualMachines: try choice(.virtualMachines),
            airplay: try choice(.airplay),
            adapter: try choice(.adapter),
            maximumSPCAge: try duration(.maximumSPCAge),
            undatedSPC: try choice(.undatedSPC),
            osVersions: try Self.osVersions(try value(.osVersions) ?? [:])
        )
    }

    /// Decoded as a floating-point number, since an integer out of range would be reported without its field.
    private static func minimumKDL(_ number: Double?) throws(PolicyError) -> UInt32? {
        guard let number else { return nil }
        guard let version = UInt32(exactly: number) else {
            throw PolicyError(.invalidValue, field: "minimumKDL", reason: "a number from 0 to 4294967295 is expected")
        }
        return version
    }

    private static func osVersions(_ texts: [String: String]) throws(PolicyError) -> [AppleDevice: OSVersion] {
        var versions: [AppleDevice: OSVersion] = [:]
        for (device, text) in texts {
            guard let device = AppleDevice(rawValue: device) else {
                throw PolicyError(
                    .unknownField,
                    field: "osVersions.\(device)",
                    reason: "one of " + AppleDevice.allCases.map(\.rawValue).joined(separator: ", ") + " is expected"
                )
            }
            guard let version = OSVersion(text) else {
                throw PolicyError(
                    .invalidValue,
                    field: "osVersions.\(device.rawValue)",
                    reason: "a version such as 15.0.0 is expected"
                )
            }
            versions[device] = version
        }
        return versions
    }

    /// Writes the fields that are there.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: AnyKey.self)
        func write(_ value: (some Encodable)?, _ field: Field) throws {
            try fields.encodeIfPresent(value, forKey: AnyKey(field.rawValue))
        }
        try write(name, .name)
        try write(lease?.description, .lease)
        try write(rental?.description, .rental)
        try write(persist, .persist)
        try write(hdcp?.rawValue, .hdcp)
        try write(securityLevel?.rawValue, .securityLevel)
        try write(minimumKDL, .minimumKDL)
        try write(virtualMachines?.rawValue, .virtualMachines)
        try write(airplay?.rawValue, .airplay)
        try write(adapter?.rawValue, .adapter)
        try write(maximumSPCAge?.description, .maximumSPCAge)
        try write(undatedSPC?.rawValue, .undatedSPC)
        if !osVersions.isEmpty {
            let texts = osVersions.map { ($0.key.rawValue, $0.value.description) }
            try write(Dictionary(uniqueKeysWithValues: texts), .osVersions)
        }
    }
}

extension LicensePolicy.Persistence: Codable {
    /// Reads one of the three forms.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: AnyKey.self)
        func duration(_ field: String) throws -> Seconds? {
            try fields.decodeIfPresent(String.self, forKey: AnyKey(field)).map {
                try Seconds(json: $0, field: "persist.\(field)")
            }
        }
        let names = Set(fields.allKeys.map(\.stringValue))
        switch names {
        case []:
            self = .unlimited
        case ["validity"]:
            guard let validity = try duration("validity") else { fallthrough }
            self = .limited(validity)
        case ["storage", "playback"], ["storage", "playback", "fallback"]:
            guard let storage = try duration("storage"), let playback = try duration("playback") else { fallthrough }
            self = .dual(storage: storage, playback: playback, fallback: try duration("fallback"))
        default:
            throw PolicyError(
                .invalidValue,
                field: "persist",
                reason:
                    "{}, {\"validity\"}, {\"storage\", \"playback\"} or {\"storage\", \"playback\", \"fallback\"} is "
                    + "expected, found {" + names.sorted().joined(separator: ", ") + "}"
            )
        }
    }

    /// Writes the form that fits.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: AnyKey.self)
        switch self {
        case .unlimited: break
        case .limited(let validity):
            try fields.encode(validity.description, forKey: AnyKey("validity"))
        case .dual(let storage, let playback, let fallback):
            try fields.encode(storage.description, forKey: AnyKey("storage"))
            try fields.encode(playback.description, forKey: AnyKey("playback"))
            try fields.encodeIfPresent(fallback?.description, forKey: AnyKey("fallback"))
        }
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Seconds {
    fileprivate init(json text: String, field: String) throws(PolicyError) {
        guard let seconds = Seconds(iso8601: text) else {
            throw PolicyError(
                .invalidValue,
                field: field,
                reason:
                    "an ISO 8601 duration of weeks, days, hours, minutes and seconds is expected, such as PT10M or P2D"
            )
        }
        self = seconds
    }
}

extension PolicyError {
    fileprivate init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            self.init(
                path.isEmpty ? .notAnObject : .invalidValue,
                field: path,
                reason: "a value of another type is expected"
            )
        case .dataCorrupted(let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            self.init(
                path.isEmpty ? .notAnObject : .invalidValue,
                field: path,
                reason: path.isEmpty ? "not readable as JSON" : "a value out of range"
            )
        @unknown default:
            self.init(.notAnObject, field: "", reason: "not readable as JSON")
        }
    }
}
