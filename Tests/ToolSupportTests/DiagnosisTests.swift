import Testing
import TextCoding

@testable import CommandSupport
@testable import ToolSupport

@Suite("The result of a doctor command")
struct DiagnosisTests {
    private let warning = Diagnosis.Problem.warning("soon", "It ends soon.", remedy: "Renew it.")
    private let failure = Diagnosis.Problem.failure("gone", "It is gone.", remedy: "Run `x`.")
    private let unreachable = Diagnosis.Problem.failure("down", "It is down.", remedy: "Start it.", isUnreachable: true)

    private func diagnosis(_ steps: Diagnosis.Step...) -> Diagnosis {
        var diagnosis = Diagnosis(command: "keyway doctor")
        diagnosis.steps = steps
        return diagnosis
    }

    @Test("The first failure precedes earlier warnings, and warnings are no failure")
    func first() throws {
        let mixed = diagnosis(
            Diagnosis.Step("a", "fine"),
            Diagnosis.Step("b", "odd", problems: [warning]),
            Diagnosis.Step("c", "bad", problems: [warning, failure]),
            .skipped("d", "c failed")
        )
        #expect(mixed.steps.map(\.mark) == [.ok, .warning, .failed, .skipped])
        #expect(mixed.first?.step.id == "c" && mixed.first?.problem.code == "gone" && mixed.result == .failed)
        let warned = diagnosis(Diagnosis.Step("b", "odd", problems: [warning]))
        #expect(warned.first?.problem.code == "soon" && warned.result == .warning)
        try warned.requireSuccess()
        #expect(diagnosis(Diagnosis.Step("a", "fine")).result == .ok)
    }

    @Test("The exit code is that of the first failure", arguments: [true, false])
    func exitCode(isFirst: Bool) {
        let steps = [unreachable, failure].map { Diagnosis.Step($0.code, problems: [$0]) }
        let failed = isFirst ? diagnosis(steps[0], steps[1]) : diagnosis(steps[1], steps[0])
        let error = #expect(throws: CommandFailure.self) { try failed.requireSuccess() }
        #expect(error?.kind == (isFirst ? .file : .input))
        #expect(error?.what == "2 steps failed, the first one is \(isFirst ? "down (down)" : "gone (gone)")")
    }

    @Test("The text shows each step, the first problem, and its remedy, without control characters")
    func text() {
        let text = diagnosis(
            Diagnosis.Step("server", "it responds\u{1b}[2J"),
            Diagnosis.Step("token", problems: [failure]),
            .skipped("ckc", "there is no license")
        ).text(.plain)
        let expected = """
            ok       server  it responds\\u{1b}[2J
            FAILED   token   It is gone.
            skipped  ckc     there is no license

            What is wrong first (token, gone):
              It is gone.
            What to do:
              Run `x`.
            """
        #expect(text == expected)
        #expect(diagnosis(Diagnosis.Step("a", "fine")).text(.plain) == "ok       a  fine\n\nNothing is wrong.")
    }

    @Test("Each failed step has the remedy of its first failure, and that of the first step is at the end")
    func remedies() {
        let text = diagnosis(
            Diagnosis.Step("token", problems: [failure]),
            Diagnosis.Step("ckc", "bad", problems: [warning, unreachable, failure]),
            Diagnosis.Step("live", "odd", problems: [warning])
        ).text(.plain)
        let expected = """
            FAILED   token  It is gone.
            FAILED   ckc    bad
                            warning: It ends soon.
                            failed: It is down.
                            failed: It is gone.
                            what to do: Start it.
            warning  live   odd
                            warning: It ends soon.

            What is wrong first (token, gone):
              It is gone.
            What to do:
              Run `x`.
            """
        #expect(text == expected)
    }

    @Test("The JSON document has the documented members")
    func json() throws {
        let failed = diagnosis(Diagnosis.Step("token", "ES256", problems: [failure])).json
        #expect(failed["schema"]?.wholeNumber == 1 && failed["result"]?.text == "failed")
        #expect(failed["first"]?["step"]?.text == "token" && failed["first"]?["remedy"]?.text == "Run `x`.")
        let step = try #require(failed["steps"]?.items?.first)
        #expect(step["id"]?.text == "token" && step["mark"]?.text == "failed" && step["summary"]?.text == "ES256")
        #expect(step["problems"]?.items?.first?["code"]?.text == "gone")
        #expect(diagnosis(Diagnosis.Step("a", "fine")).json["first"] == nil)
    }
}
