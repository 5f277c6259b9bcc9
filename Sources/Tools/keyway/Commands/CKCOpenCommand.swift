import ArgumentParser
import FPSMessages
import TextCoding

/// `keyway ckc open`.
struct CKCOpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Say whether a device would accept a CKC for its SPC, and if not, why not.",
        discussion: """
            The exit code is 0 if it would, and 1 if not. A mark before each check says how it went: ✓ as it should be, \
            ! worth a look, ✗ refused, - not reached.
            """
    )

    @Option(help: .init("The SPC, in binary or base64.", valueName: "file"))
    var spc: String

    @Option(help: .init("The CKC, in binary or base64.", valueName: "file"))
    var ckc: String

    @OptionGroup(title: "Keys") var opening: OpeningOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        guard opening.key.privateKeyPath != nil else { throw ValidationError("--private-key is needed.") }
        try opening.requireDASk()
        guard spc != "-" || ckc != "-" else { throw ValidationError("Only one file can be standard input.") }
    }

    func run() throws {
        let exchange = try OpenedExchange(spc: spc, opening)
        // Whatever it is: the first check is for that. What is no message at all is a mistake of the caller.
        let bytes = try MessageFile.read(ckc, as: .ckc, allowsDamage: true)
        let verification = CKCVerification(ckc: bytes, for: exchange)
        let text = report.output.json ? json(verification).indented : text(verification)
        try Terminal.write(text)
        if let failure = verification.firstFailure {
            throw CommandFailure.input(
                "a device would refuse this CKC: \(failure.name): \(failure.reason)",
                next: failure.code == "security-level-violation" ? "keyway explain -42811" : "keyway explain -42668"
            )
        }
    }

    private func text(_ verification: CKCVerification) -> String {
        let style = Terminal.style
        let width = (verification.checks.map(\.name.count).max() ?? 0) + 2
        var lines = verification.checks.map { check in
            let name = check.name + String(repeating: " ", count: width - check.name.count)
            return switch check.verdict {
            case .passed(let text): "\(style.green("✓")) \(name)\(escaped(text))"
            case .odd(let text): "\(style.yellow("!")) \(name)\(escaped(text))"
            case .failed(_, let text): "\(style.red("✗")) \(name)\(escaped(text))"
            case .notReached: "- \(name)not reached"
            }
        }
        if let table = contentKey(verification) {
            lines.append("")
            lines += TextRenderer(reveal: report.reveal, style: style).lines(table)
        }
        if verification.isAccepted { lines += ["", "A device would accept this CKC."] }
        return lines.joined(separator: "\n") + "\n"
    }

    private func json(_ verification: CKCVerification) -> JSONValue {
        let checks = verification.checks.map { check in
            let name = JSONValue.string(check.name)
            return switch check.verdict {
            case .passed(let text):
                JSONValue.object(["check": name, "verdict": .string("passed"), "found": .string(text)])
            case .odd(let text): JSONValue.object(["check": name, "verdict": .string("odd"), "found": .string(text)])
            case .failed(let code, let text):
                JSONValue.object([
                    "check": name, "verdict": .string("failed"), "code": .string(code), "found": .string(text),
                ])
            case .notReached: JSONValue.object(["check": name, "verdict": .string("not reached")])
            }
        }
        return .object([
            "accepted": .bool(verification.isAccepted),
            "checks": .array(checks),
            "contentKey": contentKey(verification).map { JSONRenderer(reveal: report.reveal).json($0) },
        ])
    }

    private func contentKey(_ verification: CKCVerification) -> FieldTable? {
        verification.contentKey.map {
            FieldTable(
                title: "Content key",
                fields: Report.contentKeyFields($0, iv: verification.exchange.contentIV)
            )
        }
    }
}
