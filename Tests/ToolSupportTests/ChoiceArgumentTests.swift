import ArgumentParser
import Testing

@testable import CommandSupport
@testable import ToolSupport

@Suite("Choices and values of files")
struct ChoiceArgumentTests {
    private enum Color: String, ChoiceArgument {
        case red
        case lightBlue = "light-Blue"
    }

    @Test("A choice is found in any letter case, and its words are listed")
    func choices() {
        #expect(Color(argument: "RED") == .red)
        #expect(Color(argument: "Light-blue") == .lightBlue)
        #expect(Color(argument: "lightBlue") == nil && Color(argument: "") == nil)
        #expect(Color.allValueStrings == ["red", "light-Blue"])
    }

    @Test("A value of a file is parsed as on the command line, with the same message")
    func files() throws {
        #expect(try Color(parsing: "red", valueName: "color") == .red)
        #expect(try DurationArgument(parsing: "90s", valueName: "duration") == .seconds(90))
        let color = #expect(throws: ValidationError.self) { try Color(parsing: "green", valueName: "color") }
        #expect(color?.message == "expected red, light-Blue, not 'green'")
        let duration = #expect(throws: ValidationError.self) {
            try DurationArgument(parsing: "90", valueName: "duration")
        }
        #expect(duration?.message == "expected a duration with a unit, such as 90s, 10m, 2h, or PT10M, not '90'")
    }

    @Test("A time has the offset of its zone, and a duration can have a fraction of a second")
    func parts() throws {
        #expect(TimeArgument(argument: "2026-05-01T22:15:00-02:30")?.utcOffset == -150)
        #expect(TimeArgument(argument: "1777666500")?.utcOffset == 0)
        #expect(DurationArgument(argument: "PT10M")?.hasWholeSeconds == true)
        #expect(DurationArgument(argument: "1.5s")?.hasWholeSeconds == false)
    }
}
