package import ArgumentParser
import CommandSupport

/// One of several words on the command line, in any letter case.
package protocol ChoiceArgument: ExpressibleByArgument, CaseIterable, RawRepresentable where RawValue == String {}

extension ChoiceArgument {
    package init?(argument: String) {
        let word = argument.lowercased()
        guard let choice = Self.allCases.first(where: { $0.rawValue.lowercased() == word }) else { return nil }
        self = choice
    }
}

extension ExpressibleByArgument {
    /// Parses a value from another source than the command line, such as a field of a file.
    ///
    /// - Parameter valueName: The name of the value in the help.
    /// - Throws: `ValidationError` with the message of the command line, without the name of the option.
    package init(parsing text: String, valueName: String) throws(ValidationError) {
        guard let value = Self(argument: text) else {
            throw ValidationError("expected \(ParserMessage.expected(Self.self, valueName)), not '\(text)'")
        }
        self = value
    }
}
