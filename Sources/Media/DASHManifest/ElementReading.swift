import XMLDocuments

extension XMLTree.Element {
    /// Returns the first child with a name in a namespace.
    func child(_ name: String, in namespace: String) -> XMLTree.Element? {
        children.first { $0.name == name && $0.namespace == namespace }
    }

    /// Returns the value of a required attribute.
    func required(_ name: String) throws(ManifestError) -> String {
        guard let value = attributes[name] else {
            throw ManifestError(.missingAttribute, "line \(line)", "\(self.name) has no \(name) attribute: add it")
        }
        return value
    }

    /// Returns an integer of at least 0; nil when the attribute is missing.
    func number<Number: FixedWidthInteger>(
        _ name: String,
        as type: Number.Type = Number.self
    ) throws(ManifestError) -> Number? {
        guard let text = attributes[name] else { return nil }
        guard let number = Number(text), number >= 0 else { throw invalid(name, "an integer of at least 0") }
        return number
    }

    /// Returns a duration; nil when the attribute is missing.
    func duration(_ name: String) throws(ManifestError) -> ManifestDuration? {
        guard let text = attributes[name] else { return nil }
        guard let duration = ManifestDuration(text) else { throw invalid(name, "a duration such as PT6S") }
        return duration
    }

    /// Returns a date; nil when the attribute is missing.
    func date(_ name: String) throws(ManifestError) -> ManifestDate? {
        guard let text = attributes[name] else { return nil }
        guard let date = ManifestDate(text) else { throw invalid(name, "a date such as 2026-01-01T00:00:00Z") }
        return date
    }

    /// Returns a finite decimal number; nil when the attribute is missing.
    func decimal(_ name: String) throws(ManifestError) -> Double? {
        guard let text = attributes[name] else { return nil }
        guard let number = Double(text), number.isFinite else { throw invalid(name, "a number such as 1.5") }
        return number
    }

    /// Returns a number of seconds by which segments are available earlier, which can be `INF`; nil when the attribute
    /// is missing.
    func availabilityOffset(_ name: String) throws(ManifestError) -> Double? {
        attributes[name] == "INF" ? .infinity : try decimal(name)
    }

    /// Returns a Boolean value; nil when the attribute is missing.
    func flag(_ name: String) throws(ManifestError) -> Bool? {
        switch attributes[name] {
        case nil: return nil
        case "true", "1": return true
        case "false", "0": return false
        default: throw invalid(name, "true or false")
        }
    }

    /// Returns a byte range such as `0-99`; nil when the attribute is missing.
    func byteRange(_ name: String) throws(ManifestError) -> Range<UInt64>? {
        guard let text = attributes[name] else { return nil }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = UInt64(parts[0]), let last = UInt64(parts[1]), first <= last, last < .max
        else { throw invalid(name, "a byte range such as 0-99") }
        return first..<last + 1
    }

    func invalid(_ name: String, _ expected: String) -> ManifestError {
        ManifestError(.invalidValue, "line \(line)", "\(name) of \(self.name) must be \(expected)")
    }

    /// The text without leading and trailing white space.
    var trimmedText: String {
        var rest = Substring(text)
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

extension Range<UInt64> {
    /// The range in the form of an attribute: the offsets of the first and the last byte.
    var attribute: String { isEmpty ? "\(lowerBound)-\(lowerBound)" : "\(lowerBound)-\(upperBound - 1)" }
}
