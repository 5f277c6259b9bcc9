import XMLDocuments

extension XMLTree.Element {
    /// An attribute that must be there.
    func required(_ name: String) throws(ManifestError) -> String {
        guard let value = attributes[name] else {
            throw ManifestError(.missingAttribute, "line \(line)", "\(self.name) has no \(name)")
        }
        return value
    }

    /// A number from 0; nil when the attribute is missing.
    func number<Number: FixedWidthInteger>(
        _ name: String,
        as type: Number.Type = Number.self
    ) throws(ManifestError) -> Number? {
        guard let text = attributes[name] else { return nil }
        guard let number = Number(text), number >= 0 else { throw invalid(name, "no whole number from 0 on") }
        return number
    }

    /// A duration; nil when the attribute is missing.
    func duration(_ name: String) throws(ManifestError) -> ManifestDuration? {
        guard let text = attributes[name] else { return nil }
        guard let duration = ManifestDuration(text) else { throw invalid(name, "no duration such as PT6S") }
        return duration
    }

    /// A date; nil when the attribute is missing.
    func date(_ name: String) throws(ManifestError) -> ManifestDate? {
        guard let text = attributes[name] else { return nil }
        guard let date = ManifestDate(text) else { throw invalid(name, "no date such as 2026-01-01T00:00:00Z") }
        return date
    }

    /// `true` or `false`; nil when the attribute is missing.
    func flag(_ name: String) throws(ManifestError) -> Bool? {
        switch attributes[name] {
        case nil: return nil
        case "true", "1": return true
        case "false", "0": return false
        default: throw invalid(name, "neither true nor false")
        }
    }

    /// A range of bytes such as `0-99`; nil when the attribute is missing.
    func byteRange(_ name: String) throws(ManifestError) -> Range<UInt64>? {
        guard let text = attributes[name] else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = UInt64(parts[0]), let last = UInt64(parts[1]), first <= last, last < .max
        else { throw invalid(name, "no range of bytes such as 0-99") }
        return first..<last + 1
    }

    func invalid(_ name: String, _ reason: String) -> ManifestError {
        ManifestError(.invalidValue, "line \(line)", "\(name) of \(self.name) is \(reason)")
    }

    /// Text without the white space around it.
    var trimmedText: String {
        var rest = Substring(text)
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

extension Range<UInt64> {
    /// As attributes have it: the first and the last byte.
    var attribute: String { isEmpty ? "\(lowerBound)-\(lowerBound)" : "\(lowerBound)-\(upperBound - 1)" }
}
