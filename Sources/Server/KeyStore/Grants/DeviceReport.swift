/// The facts that a device has reported against itself, which rules may refuse. Each fact applies to the device's later
/// requests until it expires.
package struct DeviceReport: Sendable, Equatable {
    /// A kind of fact.
    package struct Fact: RawRepresentable, Sendable, Hashable {
        /// The stable name, in kebab-case.
        package let rawValue: String

        /// Creates a fact from its name.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The device is a virtual machine. The value is 0.
        package static let virtualMachine = Fact(rawValue: "virtual-machine")
        /// The version of a Mac's Kext Deny List.
        package static let kextDenyList = Fact(rawValue: "kext-deny-list")
        /// The security level as a rank: a lower rank is less secure.
        package static let securityLevel = Fact(rawValue: "security-level")
    }

    /// The value of a fact and its expiry.
    package struct Entry: Sendable, Equatable {
        /// The value. A lower value is worse for the device.
        package let value: Int64
        /// The time when the entry expires, in Unix seconds.
        package let until: Int64

        /// Creates an entry.
        package init(value: Int64, until: Int64) {
            self.value = value
            self.until = until
        }
    }

    /// The entries by fact.
    package var entries: [Fact: Entry]

    /// Creates a report.
    package init(_ entries: [Fact: Entry] = [:]) { self.entries = entries }

    /// Returns the entries that have not expired at a time, in Unix seconds.
    package func binding(at time: Int64) -> DeviceReport { DeviceReport(entries.filter { $0.value.until > time }) }

    /// Returns whether every entry of the other report is here with the same or a lower value.
    package func covers(_ other: DeviceReport) -> Bool {
        other.entries.allSatisfy { fact, entry in entries[fact].map { $0.value <= entry.value } ?? false }
    }

    /// Merges a later report: a lower value replaces a higher one, an equal value extends the expiry, and a higher
    /// value counts only once the lower one has expired.
    package mutating func add(_ later: DeviceReport, at time: Int64) {
        for (fact, new) in later.entries {
            if let old = entries[fact], old.until > time {
                guard new.value <= old.value else { continue }
                // A device sends a request every few minutes. The expiry is extended only if the gain is worth a write.
                let gain = new.until - old.until
                guard new.value < old.value || gain > (new.until - time) / 8 else { continue }
            }
            entries[fact] = new
        }
    }

    /// Returns the report merged with an earlier one: for each fact, the lower value counts.
    package func adding(earlier: DeviceReport) -> DeviceReport {
        DeviceReport(entries.merging(earlier.entries) { $0.value <= $1.value ? $0 : $1 })
    }
}
