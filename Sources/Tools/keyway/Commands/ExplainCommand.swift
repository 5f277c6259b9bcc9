import ArgumentParser
import TextCoding

/// `keyway explain`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a FairPlay Streaming error code, or list all codes.",
        usage: "keyway explain [<code>] [--json]"
    )

    // A negative number looks like an option to the argument parser, so all unrecognized arguments are accepted here.
    @Argument(
        parsing: .allUnrecognized,
        help: .init(
            "The error code as devices report it (-42668), without its sign, unsigned (4294924628), or in hexadecimal. "
                + "(default: list all codes)",
            valueName: "code"
        )
    )
    var codes: [String] = []

    @OptionGroup var output: JSONOption

    func validate() throws {
        if codes.count > 1 { throw ValidationError("Give only one code.") }
        if let option = codes.first, option.hasPrefix("-"), option.dropFirst().first?.isNumber != true {
            throw ValidationError("Unknown option '\(option)'")
        }
    }

    func run() throws {
        guard let code = codes.first else { return try list() }
        guard let explanation = FPSErrorCatalog.explanation(of: code) else {
            let isNumber = FPSErrorCatalog.code(from: code) != nil
            throw CommandFailure.input(
                isNumber ? "\(code) is not an error code of the FairPlay guide" : "\(code) is not a number",
                next: "run keyway explain to list all codes"
            )
        }
        try Terminal.write(output.json ? explanation.json.indented : explanation.text(Terminal.style))
    }

    private func list() throws {
        if output.json {
            try Terminal.write(JSONValue.array(FPSErrorCatalog.all.map(\.json)).indented)
        } else {
            let width = FPSErrorCatalog.all.map(\.name.count).max() ?? 0
            let lines = FPSErrorCatalog.all.map {
                "\($0.code)  \($0.name)" + String(repeating: " ", count: width - $0.name.count) + "  \($0.meaning)"
            }
            try Terminal.write(lines.joined(separator: "\n") + "\n")
        }
    }
}

extension FPSErrorExplanation {
    /// Returns the explanation as text for a terminal.
    fileprivate func text(_ style: Style) -> String {
        func list(_ title: String, _ items: [String]) -> [String] {
            ["", style.bold(title)] + items.map { "  - \($0)" }
        }
        let lines =
            [style.bold("\(code)  \(name)") + "  (unsigned \(unsignedCode))", meaning]
            + list("Usual causes", usualCauses) + list("What to do", whatToDo)
            + ["", "FairPlay Streaming Programming Guide, \(table)"]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The explanation as JSON.
    fileprivate var json: JSONValue {
        .object([
            "code": .integer(Int(code)),
            "unsignedCode": .integer(Int(unsignedCode)),
            "name": .string(name),
            "meaning": .string(meaning),
            "usualCauses": .array(usualCauses.map { .string($0) }),
            "whatToDo": .array(whatToDo.map { .string($0) }),
            "table": .string(table),
        ])
    }
}
