import ArgumentParser
import FPSMessages
import TextCoding
import ToolSupport

/// `keyway ckc open`.
struct CKCOpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Check whether a device would accept a CKC for its SPC, and report why if it would not.",
        discussion: """
            --private-key and a source of DASk are required: --dask or --ask, or --plugin with an optional --ask.

            The checks are those of the virtual device, which follows Apple's guide strictly, for a device with the \
            playback state, the capabilities and the security level that the SPC reports. The exit code is 0 if the \
            device would accept the CKC, and 1 if it would not; the error contains the number that the app gets. The \
            mark before each check is its result: ✓ passed, ! passed with a warning, ✗ failed, - not run because an \
            earlier check failed.
            """
    )

    @Option(help: .init("The SPC, in binary or base64; - for standard input.", valueName: "file"))
    var spc: InputPath

    @Option(
        help: .init(
            "The CKC; - for standard input. Base64 is checked too, but refused, because a device needs the decoded "
                + "bytes. Only one of --spc and --ckc can be standard input.",
            valueName: "file"
        )
    )
    var ckc: InputPath

    @OptionGroup(title: "Keys") var opening: OpeningOptions
    @OptionGroup var report: ReportOptions

    func validate() throws {
        guard opening.key.privateKeyFile != nil else { throw ValidationError("--private-key is required.") }
        try opening.requireDASk()
        guard spc.path != "-" || ckc.path != "-" else {
            throw ValidationError("--spc and --ckc: only one of the two can be standard input.")
        }
    }

    func run() throws {
        let exchange = try OpenedExchange(spc: spc, opening)
        // Damaged CKCs are accepted here, because the first check reports the damage. Input that is not a message at
        // all is an error of the caller.
        let content = try MessageFile.load(ckc.path, as: .ckc, allowsWrongLength: true)
        let verification = CKCVerification(ckc: content.bytes, isBase64: content.isBase64, for: exchange)
        let text = report.output.json ? json(verification).indented : text(verification)
        try Terminal.write(text)
        if let (name, failure) = verification.firstFailure {
            throw CommandFailure.input(
                "a device would refuse this CKC: \(name): \(failure.reason)\(failure.number.map { " (\($0))" } ?? "")",
                next: failure.number.map { "keyway explain \($0)" }
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
            case .failed(let failure): "\(style.red("✗")) \(name)\(escaped(failure.reason))"
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
            case .failed(let failure):
                JSONValue.object([
                    "check": name, "verdict": .string("failed"), "code": .string(failure.code),
                    "number": failure.number.map { JSONValue.integer(Int($0)) }, "found": .string(failure.reason),
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
                fields: Report.contentKeyFields($0, iv: verification.contentIV)
            )
        }
    }
}
