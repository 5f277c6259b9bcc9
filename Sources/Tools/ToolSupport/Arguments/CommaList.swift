package import ArgumentParser

/// A list of values on the command line, separated by commas; no element is empty.
package struct CommaList<Element: ExpressibleByArgument & Sendable>: ExpressibleByArgument, Sendable {
    /// The elements, in order.
    package let elements: [Element]

    /// Creates a list, for defaults.
    package init(_ elements: [Element]) { self.elements = elements }

    package init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let elements = parts.compactMap { $0.isEmpty ? nil : Element(argument: $0) }
        guard elements.count == parts.count else { return nil }
        self.elements = elements
    }

    /// The values of the elements, for the help.
    package static var allValueStrings: [String] { Element.allValueStrings }

    package var defaultValueDescription: String { elements.map(\.defaultValueDescription).joined(separator: ",") }
}

/// FPS protocol versions on the command line, separated by commas, or by slashes as in KEYFORMATVERSIONS.
package struct ProtocolVersionList: ExpressibleByArgument, Hashable, Sendable {
    /// The versions, in order.
    package let values: [UInt32]

    /// Creates a list, for defaults.
    package init(_ values: [UInt32]) { self.values = values }

    package init?(argument: String) {
        let parts = argument.split(omittingEmptySubsequences: false) { $0 == "," || $0 == "/" }
        values = parts.compactMap { UInt32($0) }
        guard values.count == parts.count else { return nil }
    }

    package var defaultValueDescription: String { values.map { "\($0)" }.joined(separator: ",") }
}
