import Glibc
import NIOCore
package import ServiceLifecycle

/// A listener whose failure to open its port is told in words.
package struct ListenerService: Service {
    private let base: any Service
    private let address: ListenAddress
    private let setting: String

    /// Wraps a listener.
    ///
    /// - Parameters:
    ///   - address: where it listens.
    ///   - setting: where another address can be given.
    package init(_ base: any Service, at address: ListenAddress, setting: String) {
        self.base = base
        self.address = address
        self.setting = setting
    }

    /// Listens until the end.
    ///
    /// - Throws: ``ListenFailure`` when the port cannot be opened.
    package func run() async throws {
        do {
            try await base.run()
        } catch let error as IOError {
            guard let failure = ListenFailure(error.errnoCode, address: address, setting: setting) else { throw error }
            throw failure
        }
    }
}

/// Why a port could not be opened, and what to do.
package struct ListenFailure: Error, CustomStringConvertible {
    /// The address, what is wrong with it, and what to do.
    package let description: String

    /// - Returns: nil when the error is another one.
    init?(_ code: Int32, address: ListenAddress, setting: String) {
        let (problem, remedy): (String, String)
        switch code {
        case EADDRINUSE:
            problem = " is in use: stop what listens there (`ss -ltnp 'sport = :\(address.port)'` names it), or"
            remedy = "give another address by \(setting)"
        case EACCES, EPERM:
            problem = ": this user may not listen on port \(address.port):"
            remedy = "give a port of 1024 or more by \(setting), or the process CAP_NET_BIND_SERVICE"
        case EADDRNOTAVAIL:
            problem = " is not an address of this machine:"
            remedy = "give one of those that `ip address` shows, or 0.0.0.0 for all, by \(setting)"
        default: return nil
        }
        description = "\(address)\(problem) \(remedy)"
    }
}
