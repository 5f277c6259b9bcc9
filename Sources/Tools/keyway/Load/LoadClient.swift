import FPSCrypto
import NIOCore
import ToolSupport

/// A client for the requests before the load: the certificate, and checks of the connection.
struct LoadClient: Sendable {
    let target: LoadTarget
    let loop: any EventLoop

    /// Requests the application certificate.
    func certificate() async throws -> X509Certificate {
        let response = try await reaching {
            let connection = try await LoadConnection.open(target, on: loop).get()
            defer { connection.close() }
            do {
                return try await connection.response(
                    to: LoadRequestHeads(authority: target.authority).get("/fps/certificate")
                )
            } catch {
                let reason = try await loop.submit { connection.reason }.get()
                throw CommandFailure.file(
                    "\(target.authority) does not respond: \(reason ?? "the connection was closed")",
                    next: target.tls == nil
                        ? "check whether it requires https" : "check that --ca contains its CA certificate"
                )
            }
        }
        guard response.status == 200, let certificate = try? X509Certificate(response.body) else {
            throw CommandFailure.input(
                "the server responded to /fps/certificate with status \(response.status) and "
                    + FileKind(response.body).description,
                next: "check the URL with curl"
            )
        }
        return certificate
    }

    /// Performs a closure that connects to the server; converts connection errors into failures.
    func reaching<R: Sendable>(_ body: () async throws -> R) async throws -> R {
        do {
            return try await body()
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.file(
                "cannot reach \(target.authority): \(error)",
                next: "check the URL, and that the server is running"
            )
        }
    }
}
