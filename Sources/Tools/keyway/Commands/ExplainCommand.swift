import ArgumentParser
import ContentKeySession
import TextCoding
import ToolSupport

/// `keyway explain`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain the error numbers of FairPlay Streaming and AVFoundation in a log, or list all of them.",
        usage: "keyway explain [<text> ...] [--json]",
        discussion: """
            The text is a number, or a line of a log with one or more errors:

                keyway explain -42668
                keyway explain 4294924628
                keyway explain CoreMediaErrorDomain error -12642
                keyway explain 'Error Domain=AVFoundationErrorDomain Code=-11800 UserInfo={...}'

            A line with quotes, parentheses or braces must be quoted. An error with underlying errors is explained from the \
            outermost to the innermost one. Apple documents only some of the numbers: the output contains how sure each \
            meaning is.

            Names that Keyway prints for failures, such as unknown-asset or license-repeated, are explained too.
            """
    )

    // A negative number looks like an option to the argument parser, so all unrecognized arguments are accepted here.
    @Argument(
        parsing: .allUnrecognized,
        help: .init(
            "The error number, signed (-42668), unsigned (4294924628) or in hexadecimal; with or without its domain; or a "
                + "line of a log; or the name of an error. Several arguments are joined. (default: list all errors)",
            valueName: "text"
        )
    )
    var text: [String] = []

    @OptionGroup var output: JSONOption

    func validate() throws {
        for argument in text where argument.hasPrefix("-") && !argument.contains(" ") {
            guard argument.drop(while: { $0 == "-" }).first?.isLetter == true else { continue }
            throw ValidationError("Unknown option '\(argument)'; if it is part of a log, put the text into quotes.")
        }
    }

    func run() throws {
        guard !text.isEmpty else { return try list() }
        let mentions = PlatformErrorCatalog.mentions(in: text.joined(separator: " "))
        guard mentions.contains(where: { !$0.explanations.isEmpty }) else {
            guard let name = FailureName(text.joined(separator: " ")) else { throw Self.failure(mentions) }
            let explanation = output.json ? JSONValue.array([name.json]).indented : name.text(Terminal.style)
            return try Terminal.write(explanation)
        }
        if output.json {
            try Terminal.write(JSONValue.array(mentions.map(\.json)).indented)
        } else {
            try Terminal.write(Self.report(mentions, Terminal.style))
        }
    }

    /// Returns the failure for a text without an error of the catalog.
    private static func failure(_ mentions: [PlatformErrorMention]) -> CommandFailure {
        let list = "run keyway explain to list all errors"
        guard let code = mentions.lazy.compactMap(\.code).first else {
            return .input("the text contains no error number", next: "give one, such as -42668, or \(list)")
        }
        // The number may be that of another domain, where it is a different error.
        if let other = PlatformErrorCatalog.explanation(of: PlatformErrorCode(domain: nil, number: code.number))?.code {
            return .input("\(code) is not in the catalog", next: "run keyway explain \(other) for the other domain")
        }
        return .input("\(code) is not in the catalog of error numbers", next: list)
    }

    private static func report(_ mentions: [PlatformErrorMention], _ style: Style) -> String {
        let sections = mentions.enumerated().map { index, mention in
            let title = "Error \(index + 1) of \(mentions.count)" + (index == 0 ? ", in the order of the text" : "")
            let lines = mentions.count > 1 ? [style.bold(title), ""] : []
            return (lines + mention.lines(style)).joined(separator: "\n") + "\n"
        }
        return sections.joined(separator: "\n")
    }

    private func list() throws {
        let all = PlatformErrorCatalog.all
        if output.json { return try Terminal.write(JSONValue.array(all.map(\.json)).indented) }
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let nameWidth = all.map(\.name.count).max() ?? 0
        let certaintyWidth = PlatformErrorCertainty.allCases.map(\.rawValue.count).max() ?? 0
        let numberWidth = all.map(\.numberText.count).max() ?? 0
        var lines: [String] = []
        var domain: PlatformErrorDomain?
        for explanation in all {
            if explanation.domains.first != domain {
                domain = explanation.domains.first
                if !lines.isEmpty { lines.append("") }
                lines.append(Terminal.style.bold(domain?.rawValue ?? ""))
            }
            lines.append(
                "  " + padded(explanation.numberText, numberWidth) + "  "
                    + padded(explanation.certainty.rawValue, certaintyWidth)
                    + "  " + padded(explanation.name, nameWidth) + "  " + explanation.summary
            )
        }
        try Terminal.write(lines.joined(separator: "\n") + "\n")
    }
}

extension PlatformErrorMention {
    /// The explanations as lines for a terminal.
    fileprivate func lines(_ style: Style) -> [String] {
        guard !explanations.isEmpty else {
            return [style.bold(code?.description ?? ""), "This number is not in the catalog."]
        }
        return Array(explanations.map { $0.lines(style) }.joined(separator: [""])) + (note.map { ["", $0] } ?? [])
    }

    /// The reason why the explanation may not apply, if any.
    private var note: String? {
        guard let code, let domain = explanations.first?.domains.first else { return nil }
        if isFromOtherDomain, let printed = code.domain {
            return "Note: the text contains the domain \(printed); the explanation is that of \(domain)."
        }
        guard code.domain == nil, explanations.contains(where: { $0.domains == [.url] || $0.domains == [.cocoa] })
        else {
            return nil
        }
        return
            "Note: this applies only if the domain is \(domain): other domains use such small numbers for other errors."
    }

    /// The code and its explanations as JSON.
    fileprivate var json: JSONValue {
        .object([
            "domain": code?.domain.map { .string($0.rawValue) } ?? .null,
            "code": code.map { .integer(Int($0.number)) } ?? .null,
            "explanations": .array(explanations.map(\.json)),
        ])
    }
}

extension PlatformErrorExplanation {
    /// The number, or a placeholder if it is not published.
    fileprivate var numberText: String { number.map(String.init) ?? "(unpublished)" }

    /// The explanation as lines for a terminal.
    fileprivate func lines(_ style: Style) -> [String] {
        func list(_ title: String, _ items: [String]) -> [String] {
            items.isEmpty ? [] : ["", style.bold(title)] + items.map { "  - \($0)" }
        }
        var details = domains.map(\.rawValue)
        if let code, code.number < 0 { details.append("unsigned \(code.unsignedNumber)") }
        return [style.bold("\(numberText)  \(name)") + "  (\(details.joined(separator: ", ")))", meaning]
            + (constant.map { ["Apple's name: \($0)"] } ?? []) + ["How sure: \(certainty.text)"]
            + list("Causes", causes) + list("What to do", remedies) + ["", "Source: \(source)"]
    }

    /// The explanation as JSON.
    fileprivate var json: JSONValue {
        .object([
            "code": number.map { .integer(Int($0)) } ?? .null,
            "unsignedCode": code.map { .integer(Int($0.unsignedNumber)) } ?? .null,
            "domains": .array(domains.map { .string($0.rawValue) }),
            "name": .string(name),
            "constant": constant.map { .string($0) } ?? .null,
            "certainty": .string(certainty.rawValue),
            "meaning": .string(meaning),
            "causes": .array(causes.map { .string($0) }),
            "remedies": .array(remedies.map { .string($0) }),
            "source": .string(source),
        ])
    }
}
