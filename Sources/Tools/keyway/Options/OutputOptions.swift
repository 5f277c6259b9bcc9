import ArgumentParser
import TextCoding
import ToolSupport

/// The options that control how a report is printed.
struct ReportOptions: ParsableArguments {
    @OptionGroup var output: JSONOption

    @Flag(help: "Show secrets: session key, R1, and content key.")
    var reveal = false

    /// Prints a report, and throws its problem if it has one.
    func print(_ report: Report) throws(CommandFailure) {
        try Self.print(report, json: output.json, reveal: reveal)
    }

    /// Prints a report, and throws its problem if it has one.
    ///
    /// - Parameter toStandardError: Whether to print to standard error, for commands that write media to standard
    ///   output.
    static func print(
        _ report: Report,
        json: Bool,
        reveal: Bool = false,
        toStandardError: Bool = false
    ) throws(CommandFailure) {
        let text =
            json
            ? JSONRenderer(reveal: reveal).json(report).indented
            : TextRenderer(reveal: reveal, style: toStandardError ? .plain : Terminal.style).text(report)
        if toStandardError { Terminal.writeError(text) } else { try Terminal.write(text) }
        if let problem = report.problem {
            throw .input("\(problem.stage): \(problem.reason)", next: problem.next)
        }
    }
}
