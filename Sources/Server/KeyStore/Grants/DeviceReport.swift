/// What a device has reported against itself: facts by which rules refuse. Each binds the device's later requests until its
/// own time.
package struct DeviceReport: Sendable, Equatable {
    /// What is reported.
    package struct Fact: RawRepresentable, Sendable, Hashable {
        /// The stable name, in kebab-case.
        package let rawValue: String

        /// Makes a fact from its name.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// That the device is a virtual machine. Its value is 0.
        package static let virtualMachine = Fact(rawValue: "virtual-machine")
        /// The version of a Mac's Kext Deny List.
        package static let kextDenyList = Fact(rawValue: "kext-deny-list")
        /// The security level, as a rank: the lower, the less secure.
        package static let securityLevel = Fact(rawValue: "security-level")
    }

    /// A value, and until when it binds, in Unix seconds.
    package struct Entry: Sendable, Equatable {
        /// Of two values the lower one counts more against the device.
        package let value: Int64
        /// Until when it binds.
        package let until: Int64

        /// Makes an entry.
        package init(value: Int64, until: Int64) {
            self.value = value
            self.until = until
        }
    }

    /// The facts.
    package var entries: [Fact: Entry]

    /// Makes a report.
    package init(_ entries: [Fact: Entry] = [:]) { self.entries = entries }

    /// What of it still binds at a time.
    package func binding(at time: Int64) -> DeviceReport { DeviceReport(entries.filter { $0.value.until > time }) }

    /// Whether it says at least as much against the device as another report does.
    package func covers(_ other: DeviceReport) -> Bool {
        other.entries.allSatisfy { fact, entry in entries[fact].map { $0.value <= entry.value } ?? false }
    }

    /// Takes in a later report: a lower value replaces a higher one, the same binds for longer, and a higher one counts only
    /// once the lower one no longer binds.
    package mutating func add(_ later: DeviceReport, at time: Int64) {
        for (fact, new) in later.entries {
            if let old = entries[fact], old.until > time {
                guard new.value <= old.value else { continue }
                // A device asks every few minutes. The time is moved on only when that is worth a write.
                let gain = new.until - old.until
                guard new.value < old.value || gain > (new.until - time) / 8 else { continue }
            }
            entries[fact] = new
        }
    }

    /// Takes in what was reported earlier: of each fact the lower value counts.
    package func adding(earlier: DeviceReport) -> DeviceReport {
        DeviceReport(entries.merging(earlier.entries) { $0.value <= $1.value ? $0 : $1 })
    }
}
