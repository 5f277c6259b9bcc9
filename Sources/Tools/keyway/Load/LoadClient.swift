import FPSCrypto
import NIOCore

/// What is asked of a server besides the load itself.
struct LoadClient: Sendable {
    let target: LoadTarget
    let loop: any EventLoop

    /// The application certificate.
    func certificate() async throws -> X509Certificate {
        let answer = try await reaching {
            let connection = try await LoadConnection.open(target, on: loop).get()
            defer { connection.close() }
            do {
                return try await connection.answer(
                    to: LoadRequestHeads(authority: target.authority).get("/fps/certificate")
                )
            } catch {
                let reason = try await loop.submit { connection.reason }.get()
                throw CommandFailure.file(
                    "\(target.authority) does not answer: \(reason ?? "it ends the connection")",
                    next: target.tls == nil ? "does it want https?" : "is its certificate one of --ca?"
                )
            }
        }
        guard answer.status == 200, let certificate = try? X509Certificate(answer.body) else {
            throw CommandFailure.input(
                "the server answers /fps/certificate with status \(answer.status) and \(FileKind(answer.body).words)",
                next: "look at it with curl"
            )
        }
        return certificate
    }

    /// Does something that needs the server; failures of connections become words.
    func reaching<R: Sendable>(_ body: () async throws -> R) async throws -> R {
        do {
            return try await body()
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.file(
                "cannot reach \(target.authority): \(error)",
                next: "check the address, and that the server runs"
            )
        }
    }
}
