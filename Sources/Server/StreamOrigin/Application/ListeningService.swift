import Glibc
import HTTPListening
import NIOCore
import ServiceLifecycle

/// A listener that reports with a helpful message that its port cannot be opened.
struct ListeningService: Service {
    let base: any Service
    let address: ListenAddress
    /// The option of the address.
    let option: String

    func run() async throws {
        do {
            try await base.run()
        } catch let error as IOError {
            switch error.errnoCode {
            case EADDRINUSE:
                throw OriginError("\(address) is in use: stop the process that listens on it, or change \(option)")
            case EACCES, EPERM:
                throw OriginError(
                    "\(address) may not be opened by this user: set a port of 1024 or higher with \(option)"
                )
            case EADDRNOTAVAIL:
                throw OriginError("\(address) is not an address of this machine: change \(option)")
            default: throw error
            }
        }
    }
}
