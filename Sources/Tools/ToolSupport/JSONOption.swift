import ArgumentParser
import CommandSupport
package import TextCoding

/// The option of all commands that print data.
package struct JSONOption: ParsableArguments {
    /// True if the data is printed as JSON.
    @Flag(help: "Print JSON.")
    package var json = false

    package init() {}

    /// Prints a result to standard output: as JSON if `--json` is given, otherwise as text.
    ///
    /// - Parameters:
    ///   - value: The result; its members are printed in their order.
    ///   - text: The text, without a newline at its end; nothing is printed if it is empty.
    package func print(
        _ value: @autoclosure () throws -> JSONValue,
        text: () throws -> String
    ) throws {
        if json { return try Terminal.write(value().indented) }
        let text = try text()
        if !text.isEmpty { try Terminal.write(text + "\n") }
    }
}

extension JSONValue {
    /// Returns a JSON string, or nil if there is no text.
    package static func string(_ text: String?) -> JSONValue? { text.map { .string($0) } }
}
