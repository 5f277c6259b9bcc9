import ContentKeySession
import Foundation
import OwnThreads
import Testing
import VirtualDevice

@testable import keyway

@Suite("keyway explain", .ownThreads)
struct ExplainTests {
    let tool: Tool

    init() throws { tool = try Tool() }

    /// Returns the JSON of a text's errors.
    func errors(_ arguments: [String]) throws -> [[String: Any]] {
        let outcome = try tool.run(["explain", "--json"] + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]])
    }

    @Test(
        "The number is accepted in the forms of logs, as one argument or several",
        arguments: [
            ["-42668"], ["42668"], ["4294924628"], ["0xffff5954"], ["−42668"], ["--", "-42668"], ["-- -42668"],
            ["error", "-42668"], ["key", "request", "failed:", "-42668", "(twice)"],
        ]
    )
    func forms(arguments: [String]) throws {
        let outcome = try tool.run(["explain"] + arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasPrefix("-42668  invalid-ckc  (NSOSStatusErrorDomain, unsigned 4294924628)\n"))
        #expect(outcome.text.contains("How sure: documented by Apple\n"))
        #expect(try errors(arguments).map { $0["code"] as? Int } == [-42668])
    }

    @Test("An error with underlying errors is explained from the outermost to the innermost one")
    func chain() throws {
        let line = """
            Error Domain=AVFoundationErrorDomain Code=-11800 "The operation could not be completed" UserInfo={\
            NSUnderlyingError=0x2801 {Error Domain=NSOSStatusErrorDomain Code=-42811 "(null)"}}
            """
        let found = try errors([line])
        #expect(found.map { $0["domain"] as? String } == ["AVFoundationErrorDomain", "NSOSStatusErrorDomain"])
        let names = found.compactMap { ($0["explanations"] as? [[String: Any]])?.first?["name"] as? String }
        #expect(names == ["unspecified", "security-level-too-low"])
        let text = try tool.run(["explain", line]).text
        #expect(text.contains("Error 1 of 2") && text.contains("Error 2 of 2"))
    }

    @Test("An error of the chain that is not in the catalog is shown as such")
    func partly() throws {
        let outcome = try tool.run(["explain", "AVFoundationErrorDomain -11800, NSOSStatusErrorDomain -12345"])
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("NSOSStatusErrorDomain -12345\nThis number is not in the catalog.\n"))
    }

    @Test("A number without a domain, or with that of another error, has a note")
    func notes() throws {
        #expect(try tool.run(["explain", "-1"]).text.contains("only if the domain is NSURLErrorDomain"))
        #expect(try !tool.run(["explain", "NSURLErrorDomain", "-1"]).text.contains("Note"))
        #expect(try tool.run(["explain", "CoreMediaErrorDomain:-42800"]).text.contains("Note: the text contains"))
        #expect(try !tool.run(["explain", "-42800"]).text.contains("Note"))
    }

    @Test("Without arguments, every error is listed once, grouped by domain")
    func list() throws {
        let list = try tool.run(["explain"])
        #expect(list.status == 0)
        let rows = list.text.split(separator: "\n").filter { $0.hasPrefix("  ") }
        #expect(rows.count == PlatformErrorCatalog.all.count)
        for domain in ["AVFoundationErrorDomain", "NSOSStatusErrorDomain", "CoreMediaErrorDomain", "NSURLErrorDomain"] {
            #expect(
                list.text.components(separatedBy: "\n\(domain)\n").count + (list.text.hasPrefix(domain) ? 1 : 0) == 2
            )
        }
        #expect(try errors([]).count == PlatformErrorCatalog.all.count)
    }

    @Test("A text without an error of the catalog fails with the next step")
    func unknown() throws {
        for (arguments, message) in [
            (["12"], "12 is not in the catalog of error numbers; run keyway explain to list all errors"),
            (
                ["banana"],
                "the text contains no error number; give one, such as -42668, or run keyway explain to list all errors"
            ),
            (
                ["CoreMediaErrorDomain", "-1009"],
                "CoreMediaErrorDomain -1009 is not in the catalog; "
                    + "run keyway explain NSURLErrorDomain -1009 for the other domain"
            ),
        ] {
            let outcome = try tool.run(["explain"] + arguments)
            #expect(outcome.status == 1)
            #expect(outcome.errors == "error: \(message)\n")
            #expect(outcome.output.isEmpty)
        }
        #expect(try tool.run(["explain", "--jsn"]).status == 2)
        #expect(try tool.run(["explain", "-42668", "--jsn"]).status == 2)
    }

    @Test(
        "A name that Keyway prints is explained, with its page",
        arguments: [
            ("unknown-asset", "The server has no key", "docs/server.md"),
            ("ckc-rejected", "The display", "docs/key-loader.md"),
            ("license-repeated", "is the CKC of an earlier request", "docs/doctor.md"),
            ("response-cached", "no-store", "docs/doctor.md"),
            (" Virtual-Machine ", "virtual machine", "docs/policy.md"),
            ("key-wrong", "Register the key", "docs/validate-rules.md"),
        ]
    )
    func failureNames(name: String, text: String, page: String) throws {
        let outcome = try tool.run(["explain", name])
        #expect(outcome.status == 0 && outcome.text.contains(text), "\(outcome.text)")
        #expect(outcome.text.contains("Source: \(page)"), "\(outcome.text)")
        let explanation = try #require(try errors([name]).first?["explanations"] as? [[String: Any]]).first
        #expect(explanation?["name"] as? String == name.lowercased().trimmingCharacters(in: .whitespaces))
    }

    @Test("Every problem type with a remedy of its own is a known name")
    func problemTypes() {
        for name in LicenseProblem.explainedTypes {
            let remedy = FailureName(name)?.remedy
            #expect(remedy?.isEmpty == false && remedy?.contains("docs/key-server.md describes the checks") == false)
        }
    }

    @Test("The causes of -42668 and the remedies begin with what is most frequent")
    func invalidCKC() throws {
        let text = try tool.run(["explain", "-42668"]).text
        let parts = [
            "cached", "base64", "DASk was wrong", "The server made it wrong", "keyway doctor", "Cached:", "Not a CKC:",
            "DASk:", "The server:",
        ]
        var rest = Substring(text)
        for part in parts {
            let range = try #require(rest.range(of: part), "\(part)")
            rest = rest[range.upperBound...]
        }
    }

    @Test("The catalog and the virtual device have the same name for a number")
    func names() {
        for error in FPSError.all {
            guard let code = error.code else { continue }
            let explanation = PlatformErrorCatalog.explanations(number: code, domain: .osStatus).first
            #expect(explanation?.name == error.name)
            #expect(explanation?.certainty == .documented)
        }
    }
}
