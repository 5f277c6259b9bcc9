import Glibc
import NIOCore
package import ServiceLifecycle

/// A listener that reports failures to open its port with a helpful message.
package struct ListenerService: Service {
    private let base: any Service
    private let address: ListenAddress
    private let setting: String

    /// Wraps a listener.
    ///
    /// - Parameters:
    ///   - address: The address to listen on.
    ///   - setting: The setting or option of the address, for the message.
    package init(_ base: any Service, at address: ListenAddress, setting: String) {
        self.base = base
        self.address = address
        self.setting = setting
    }

    /// Listens until the server stops.
    ///
    /// - Throws: ``ListenFailure`` if the port cannot be opened.
    package func run() async throws {
        do {
            try await base.run()
        } catch let error as IOError {
            guard let failure = ListenFailure(error.errnoCode, address: address, setting: setting) else { throw error }
            throw failure
        }
    }
}

/// The reason why a port could not be opened, and the remedy.
package struct ListenFailure: Error, CustomStringConvertible {
    /// The address, the reason and the remedy.
    package let description: String

    /// Creates a failure from an error number; nil for other errors.
    init?(_ code: Int32, address: ListenAddress, setting: String) {
        let (problem, remedy): (String, String)
        switch code {
        case EADDRINUSE:
            problem = " is in use: stop the process that listens on it (see `ss -ltnp 'sport = :\(address.port)'`), or"
            remedy = "set another address with \(setting)"
        case EACCES, EPERM:
            problem = ": this user is not permitted to listen on port \(address.port):"
            remedy = "set a port of 1024 or higher with \(setting), or give the process CAP_NET_BIND_SERVICE"
        case EADDRNOTAVAIL:
            problem = " is not an address of this machine:"
            remedy = "set one of the addresses that `ip address` shows, or 0.0.0.0 for all, with \(setting)"
        default: return nil
        }
        description = "\(address)\(problem) \(remedy)"
    }
}
