import FPSCrypto
import Foundation
import HTTPRequests
import TextCoding
import ToolSupport

/// The steps of `keyway doctor` that are about the key server alone: reachability, clock, certificate, and CORS.
struct ServerSteps: Sendable {
    let target: DoctorTarget?
    let origin: String?
    /// Returns the current time in seconds since 1970.
    let now: @Sendable () -> Double
    /// Returns a random text, which makes the URL of a request unique.
    var nonce: @Sendable () -> String = { "\(UInt64.random(in: 0 ... .max))" }

    /// The results.
    struct Results: Sendable {
        /// The steps.
        var steps: [Diagnosis.Step] = []
        /// How far the server's clock is ahead of this machine's, in seconds; nil if the server does not tell.
        var clockOffset: Double?
        /// Why no key can be requested; nil if nothing prevents it.
        var blocked: String?

        /// True if keys can be requested.
        var isUsable: Bool { blocked == nil }
    }

    /// Checks the steps.
    func run() async -> Results {
        guard let target else {
            let steps = ["server", "clock", "certificate", "cors"]
            return Results(
                steps: steps.map { .skipped($0, "no key server is given: add --server") },
                blocked: "no key server is given"
            )
        }
        let found: TimedAnswer
        do throws(BoundedHTTP.Failure) {
            found = try await TimedAnswer("/fps/certificate", of: target.client, now: now)
        } catch {
            return Results(
                steps: [
                    Diagnosis.Step(
                        "server",
                        "\(target.client.name) cannot be reached",
                        problems: [Self.problem(error, target.client.name)]
                    )
                ] + ["clock", "certificate", "cors"].map { .skipped($0, "the server cannot be reached") },
                blocked: "the key server cannot be reached"
            )
        }
        let answer = found.answer
        var results = Results()
        var server = serverStep(answer, target)
        if server.mark == .failed {
            results.steps.append(server)
            results.steps += ["clock", "certificate", "cors"].map { .skipped($0, "the address is not a key server's") }
            results.blocked = "the address is not a key server's"
            return results
        }
        let health = await HealthResponses(of: target.client, nonce: nonce, now: now)
        // Licenses may arrive in spite of it, so the steps after this one are checked too.
        if let stored = health.stored { server.problems.append(Self.storedResponses(stored)) }
        results.steps.append(server)
        results.steps.append(clockStep(health, certificate: found, &results.clockOffset))
        let certificate = certificateStep(answer, target)
        results.steps.append(certificate)
        if certificate.mark == .failed { results.blocked = "the certificate is not usable" }
        results.steps.append(await corsStep(target.client))
        return results
    }

    // MARK: Server

    private static func problem(_ failure: BoundedHTTP.Failure, _ name: String) -> Diagnosis.Problem {
        let text = "The key server \(name) cannot be reached: \(failure.reason)."
        if failure.code == .untrusted { return TLSAdvice.problem(text, reason: failure.reason) }
        return .failure(
            "server-unreachable",
            text,
            remedy: "Check host and port of --server, and that the server is running: `keyway-server doctor` on its "
                + "machine.",
            isUnreachable: true
        )
    }

    /// Checks whether the response to a request for the certificate can come from a key server.
    private func serverStep(_ answer: BoundedHTTP.Answer, _ target: DoctorTarget) -> Diagnosis.Step {
        let name = target.client.name
        var step = Diagnosis.Step("server", "\(name) responds")
        switch answer.status {
        case 200: break
        case 300..<400:
            step.problems.append(
                .failure(
                    "server-redirects",
                    "The key server redirects /fps/certificate, and license requests are not redirected.",
                    remedy: "Give the URL that the redirect leads to as --server, in apps too."
                )
            )
        case 503:
            step.problems.append(
                .failure(
                    "server-unavailable",
                    "The key server responds with status 503.",
                    remedy: "Ask it why: `curl \(name)/readyz` names what is not ready; then `keyway-server doctor`."
                )
            )
        default:
            // A key server with no certificate, or with several, says so in a problem document.
            guard ProblemResponse(status: answer.status, body: answer.body)?.name == nil else { break }
            step.problems.append(
                .failure(
                    "not-a-key-server",
                    "The server responds to /fps/certificate with status \(answer.status) and "
                        + "\(FileKind(answer.body).description): it is not a Keyway key server.",
                    remedy: "Check host, port, and path of --server; another web server answers there."
                )
            )
        }
        return step
    }

    // MARK: CORS

    /// Sends the preflight request of a browser before a license request.
    private func corsStep(_ client: KeyServerClient) async -> Diagnosis.Step {
        guard let origin else { return .skipped("cors", "for web pages only: add --origin") }
        let answer: BoundedHTTP.Answer
        do throws(BoundedHTTP.Failure) {
            answer = try await client.respond(
                to: "/fps/license",
                method: "OPTIONS",
                headers: [
                    .init("Origin", origin), .init("Access-Control-Request-Method", "POST"),
                    .init("Access-Control-Request-Headers", "authorization,content-type"),
                ]
            )
        } catch {
            return Diagnosis.Step("cors", "", problems: [Self.problem(error, client.name)])
        }
        let permitted = answer.header("Access-Control-Allow-Origin")
        guard (200..<300).contains(answer.status), permitted == "*" || permitted == origin else {
            return Diagnosis.Step(
                "cors",
                "\(origin) is not permitted",
                problems: [
                    .failure(
                        "cors-license",
                        "The key server does not permit license requests from pages of \(origin).",
                        remedy: "Add the origin to the setting `cors.origins`, and restart the server: docs/server.md."
                    )
                ]
            )
        }
        let names = answer.header("Access-Control-Allow-Headers")?.lowercased() ?? ""
        let headers = names.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let missing = ["authorization", "content-type"].filter { !headers.contains($0) }
        guard missing.isEmpty else {
            let text =
                "The key server does not permit the headers \(missing.joined(separator: ", ")) of license requests."
            return Diagnosis.Step(
                "cors",
                "\(origin) is permitted without all headers",
                problems: [
                    .failure("cors-headers", text, remedy: "Permit them in the proxy in front of the server (CORS).")
                ]
            )
        }
        return Diagnosis.Step("cors", "\(origin) may request licenses")
    }
}
