import FPSMessages

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// The JSON format of a policy. All fields are optional; an unknown field is an error. The grammar:
//
//     {"name": "…", "lease": DURATION, "rental": DURATION,
//      "persist": {} | {"validity": DURATION} | {"storage": DURATION, "playback": DURATION, "fallback": DURATION},
//      "hdcp": "none" | "type0" | "type1", "securityLevel": "audio" | "baseline" | "main" (also "appleBaseline",
//      "appleMain"), "minimumKDL": NUMBER, "virtualMachines" | "airplay" | "adapter" | "undatedSPC": "allow" | "deny",
//      "maximumSPCAge": DURATION, "osVersions": {"appleMobile": "15.0.0", …}, "streams" | "devices": 1...1000,
//      "rentalStart": "firstLicense" | "token", "bindRentalToDevice" | "renewAfterExpiry": BOOL,
//      "networks": [CIDR, …], "origins": [ORIGIN, …], "otherClients": "allow" | "deny",
//      "preload" | "catchUp": DURATION, "unclassifiedDevices": "allow" | "deny"}
//
// "virtualMachines", "airplay", "adapter", "osVersions" and "securityLevel" also accept the form {"value": VALUE,
// "requireReport": BOOL}.
//
// DURATION is an ISO 8601 duration of weeks, days, hours, minutes and seconds. An empty list of networks or origins
// allows all of them.

extension LicensePolicy {
    /// Parses and validates a policy.
    ///
    /// - Parameters:
    ///   - json: a JSON object in UTF-8.
    ///   - track: the type of track that the policy is intended for, if known.
    /// - Throws: ``PolicyError`` for the first error found.
    public init(json: some Collection<UInt8>, for track: TrackKind = .unspecified) throws(PolicyError) {
        do {
            self = try JSONDecoder().decode(LicensePolicy.self, from: Data(json))
        } catch let error as PolicyError {
            throw error
        } catch let error as DecodingError {
            throw PolicyError(error)
        } catch {
            throw PolicyError(.notAnObject, field: "", reason: "the document is not valid JSON")
        }
        try validate(for: track)
    }

    /// The policy as JSON, with its fields in alphabetical order.
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
        case maximumSPCAge, undatedSPC, osVersions, streams, devices, rentalStart, bindRentalToDevice
        case renewAfterExpiry, networks, origins, otherClients, preload, catchUp, unclassifiedDevices
    }

    /// Decodes the fields without validating the policy; use ``init(json:for:)``, which also validates.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: AnyKey.self)
        for key in fields.allKeys where Field(rawValue: key.stringValue) == nil {
            throw PolicyError(
                .unknownField,
                field: key.stringValue,
                reason: "unknown field; expected one of " + Field.allCases.map(\.rawValue).joined(separator: ", ")
            )
        }
        func value<Value: Decodable>(_ field: Field) throws -> Value? {
            try fields.decodeIfPresent(Value.self, forKey: AnyKey(field.rawValue))
        }
        var reports: Set<ReportedRule> = []
        /// Returns the value of a rule, and records whether the rule requires a report.
        func rule<Value: Decodable>(_ rule: ReportedRule) throws -> Value? {
            guard let found = try fields.decodeIfPresent(PolicyRule<Value>.self, forKey: AnyKey(rule.rawValue)) else {
                return nil
            }
            if found.requiresReport { reports.insert(rule) }
            return found.value
        }
        func duration(_ field: Field) throws -> Seconds? {
            try value(field).map { try Seconds(json: $0, field: field.rawValue) }
        }
        func choice<Choice: RawRepresentable & CaseIterable>(_ field: Field) throws -> Choice?
        where Choice.RawValue == String {
            let text: String? = try ReportedRule(rawValue: field.rawValue).map { try rule($0) } ?? value(field)
            guard let text else { return nil }
            guard let choice = Choice(rawValue: text) else {
                throw PolicyError(
                    .invalidValue,
                    field: field.rawValue,
                    reason: "expected one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")
                )
            }
            return choice
        }
        let levelText: String? = try rule(.securityLevel)
        let level = levelText.map { ["appleBaseline": "baseline", "appleMain": "main"][$0] ?? $0 }
        if let level, Level(rawValue: level) == nil {
            throw PolicyError(.invalidValue, field: "securityLevel", reason: "expected one of audio, baseline, main")
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
            osVersions: try Self.osVersions(try rule(.osVersions) ?? [:]),
            streams: try Self.count(try value(.streams), .streams),
            devices: try Self.count(try value(.devices), .devices),
            rentalStart: try choice(.rentalStart),
            bindRentalToDevice: try value(.bindRentalToDevice),
            renewAfterExpiry: try value(.renewAfterExpiry),
            networks: try Self.list(try value(.networks), .networks, "a network such as 192.0.2.0/24 or 2001:db8::/32"),
            origins: try Self.list(try value(.origins), .origins, "a web origin such as https://play.example.com"),
            otherClients: try choice(.otherClients),
            preload: try duration(.preload),
            catchUp: try duration(.catchUp)
        )
        unclassifiedDevices = try choice(.unclassifiedDevices)
        requiredReports = reports
    }

    // The number is decoded as a floating-point number, because the error for an integer out of range does not contain
    // the field.
    private static func minimumKDL(_ number: Double?) throws(PolicyError) -> UInt32? {
        guard let number else { return nil }
        guard let version = UInt32(exactly: number) else {
            throw PolicyError(.invalidValue, field: "minimumKDL", reason: "expected a number from 0 to 4294967295")
        }
        return version
    }

    // The number is decoded as a floating-point number for the same reason as in `minimumKDL`.
    private static func count(_ number: Double?, _ field: Field) throws(PolicyError) -> Int? {
        guard let number else { return nil }
        guard let count = Int(exactly: number), LicensePolicy.counts.contains(count) else {
            throw PolicyError(.invalidValue, field: field.rawValue, reason: "expected a number from 1 to 1000")
        }
        return count
    }

    /// Parses a list; an empty list means the same as a missing one: there is no restriction.
    private static func list<Element: RawRepresentable>(
        _ texts: [String]?,
        _ field: Field,
        _ expected: String
    ) throws(PolicyError) -> [Element]? where Element.RawValue == String {
        guard let texts, !texts.isEmpty else { return nil }
        var elements: [Element] = []
        for (index, text) in texts.enumerated() {
            guard let element = Element(rawValue: text) else {
                throw PolicyError(.invalidValue, field: "\(field.rawValue).\(index)", reason: "expected \(expected)")
            }
            elements.append(element)
        }
        return elements
    }

    private static func osVersions(_ texts: [String: String]) throws(PolicyError) -> [AppleDevice: OSVersion] {
        var versions: [AppleDevice: OSVersion] = [:]
        for (device, text) in texts {
            guard let device = AppleDevice(rawValue: device) else {
                throw PolicyError(
                    .unknownField,
                    field: "osVersions.\(device)",
                    reason: "expected one of " + AppleDevice.allCases.map(\.rawValue).joined(separator: ", ")
                )
            }
            guard let version = OSVersion(text) else {
                throw PolicyError(
                    .invalidValue,
                    field: "osVersions.\(device.rawValue)",
                    reason: "expected a version such as 15.0.0"
                )
            }
            versions[device] = version
        }
        return versions
    }

    /// Encodes the fields that are set.
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
        func write(_ value: (some Encodable)?, _ rule: ReportedRule) throws {
            guard requiredReports.contains(rule) else {
                return try fields.encodeIfPresent(value, forKey: AnyKey(rule.rawValue))
            }
            try fields.encode(PolicyRule(value: value, requiresReport: true), forKey: AnyKey(rule.rawValue))
        }
        try write(securityLevel?.rawValue, ReportedRule.securityLevel)
        try write(minimumKDL, .minimumKDL)
        try write(virtualMachines?.rawValue, ReportedRule.virtualMachines)
        try write(airplay?.rawValue, ReportedRule.airplay)
        try write(adapter?.rawValue, ReportedRule.adapter)
        try write(unclassifiedDevices?.rawValue, .unclassifiedDevices)
        try write(maximumSPCAge?.description, .maximumSPCAge)
        try write(preload?.description, .preload)
        try write(catchUp?.description, .catchUp)
        try write(undatedSPC?.rawValue, .undatedSPC)
        let versions = osVersions.map { ($0.key.rawValue, $0.value.description) }
        try write(versions.isEmpty ? nil : Dictionary(uniqueKeysWithValues: versions), ReportedRule.osVersions)
        try write(streams, .streams)
        try write(devices, .devices)
        try write(rentalStart?.rawValue, .rentalStart)
        try write(bindRentalToDevice, .bindRentalToDevice)
        try write(renewAfterExpiry, .renewAfterExpiry)
        // An empty list would be parsed as no restriction. An empty list, which only a merge can produce, is therefore
        // written as an entry that the parser rejects.
        try write(networks.map { $0.isEmpty ? ["none"] : $0.map(\.rawValue) }, .networks)
        try write(origins.map { $0.isEmpty ? ["none"] : $0.map(\.rawValue) }, .origins)
        try write(otherClients?.rawValue, .otherClients)
        try fields.encodeIfPresent(onlineLimit?.description, forKey: AnyKey("onlineLimit"))
    }
}
