import ArgumentParser

/// Output for machines.
struct JSONOption: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false
}

/// How a report is printed.
struct ReportOptions: ParsableArguments {
    @OptionGroup var output: JSONOption

    @Flag(help: "Show secrets: session key, R1, content key.")
    var reveal = false

    /// Prints a report, and ends with its problem if it has one.
    func print(_ report: Report) throws(CommandFailure) {
        try Self.print(report, json: output.json, reveal: reveal)
    }

    /// Prints a report, and ends with its problem if it has one.
    static func print(_ report: Report, json: Bool, reveal: Bool = false) throws(CommandFailure) {
        if json {
            try Terminal.write(JSONRenderer(reveal: reveal).json(report).text)
        } else {
            try Terminal.write(TextRenderer(reveal: reveal, style: Terminal.style).text(report))
        }
        if let problem = report.problem {
            throw .input("\(problem.stage): \(problem.reason)", next: problem.next)
        }
    }
}
