import Foundation
import OwnThreads
import Testing
import VectorFiles

/// Tests that no command prints a secret unless requested.
@Suite("Secrets", .ownThreads)
struct SecrecyTests {
    let tool: Tool

    init() throws { tool = try Tool() }

    /// The secrets of an SPC and of a CKC for it, in all forms in which they could be printed: 16 bytes of each.
    private func traces(_ secrets: [String]) -> [String] {
        secrets.flatMap { secret -> [String] in
            let bytes = VectorFile.bytes(hexadecimal: String(secret.prefix(32))) ?? []
            // The base64 that does not depend on adjacent bytes.
            return [String(secret.prefix(32)), String(Data(bytes).base64EncodedString().dropLast(4))]
                + ["\(bytes)", bytes.map { String(format: "%02X", $0) }.joined()]
        }
    }

    private func found(_ secrets: [String], in outcome: Tool.Outcome) -> [String] {
        traces(secrets).filter { outcome.text.contains($0) || outcome.errors.contains($0) }
    }

    @Test("The secrets of an SPC are not printed", arguments: try VectorFile.successes(in: "spc"))
    func spc(vector: VectorFile) throws {
        let secrets = try ["sk", "r1"].map { try #require(vector[$0]) }
        let arguments = ["spc", "inspect", try tool.file("a.spc", vector.message)] + Keys.options(for: vector)
        for more in [[], ["--json"]] {
            #expect(found(secrets, in: try tool.run(arguments + more)) == [])
        }
    }

    @Test("With --reveal, the secrets are printed, so the search finds them", arguments: [[], ["--json"]])
    func reveal(more: [String]) throws {
        let vector = try VectorFile(path: "ckc/iphone.txt")
        let spc = try vector.answered()
        let keys = Keys.options(for: spc) + more + ["--reveal"]
        let path = try tool.file("a.spc", spc.message)
        let session = try ["sk", "r1"].map { try #require(spc[$0]) }
        #expect(found(session, in: try tool.run(["spc", "inspect", path] + keys)).count == 2)
        let secrets = try [#require(spc["r1"]), #require(vector["content-key"])]
        let ckc = try tool.file("a.ckc", vector.message)
        #expect(found(secrets, in: try tool.run(["ckc", "inspect", ckc, "--spc", path] + keys)).count == 2)
        #expect(found(secrets, in: try tool.run(["ckc", "open", "--ckc", ckc, "--spc", path] + keys)).count == 1)
    }

    @Test(
        "The secrets of a CKC are not printed, whether it is accepted or not",
        arguments: try VectorFile.all(in: "ckc")
    )
    func ckc(vector: VectorFile) throws {
        let spc = try vector.answered()
        let secrets = try ["sk", "r1"].map { try #require(spc[$0]) } + [vector["content-key"]].compactMap { $0 }
        let files = ["--spc", try tool.file("a.spc", spc.message)] + Keys.options(for: spc)
        let ckc = try tool.file("a.ckc", vector.message)
        #expect(found(secrets, in: try tool.run(["ckc", "inspect", ckc] + files)) == [])
        #expect(found(secrets, in: try tool.run(["ckc", "open", "--ckc", ckc, "--json"] + files)) == [])
    }

    @Test("The secrets of an invalid command line are not printed")
    func commandLine() throws {
        let secret = "c0ffee00c0ffee00c0ffee00c0ffee"
        let spc = try tool.file("a.spc", try VectorFile(path: "spc/v2-iphone.txt").message)
        let keys = ["--private-key", Keys.path("test-rsa-2048.pem"), "--certificate", Keys.path("test-rsa-2048.der")]
        for option in ["--key", "--ask"] {
            let values = ["--key", "--ask"].flatMap { [$0, $0 == option ? secret : String(repeating: "0", count: 32)] }
            let outcome = try tool.run(["ckc", "create", "--spc", spc, "--iv", secret + "00"] + keys + values)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("\(option): expected 16 bytes in hexadecimal"), "\(outcome.errors)")
            #expect(!outcome.errors.contains(secret))
        }
        let file = try tool.file("key.hex", Array(secret.utf8))
        let outcome = try tool.run(
            ["ckc", "create", "--spc", spc, "--key", "@\(file)", "--iv", secret + "00", "--ask", secret + "00"] + keys
        )
        #expect(outcome.status == 1)
        #expect(!outcome.errors.contains(secret))
    }
}
