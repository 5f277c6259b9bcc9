import Glibc
import KeyServer
import NIOCore
import ServiceLifecycle

/// A listener, whose failure to open its port is told in words.
struct ListenerService: Service {
    let base: any Service
    let address: ListenAddress
    /// Where another address can be given.
    let setting: String

    func run() async throws {
        do {
            try await base.run()
        } catch let error as IOError {
            guard let failure = ListenFailure(error.errnoCode, address: address, setting: setting) else { throw error }
            throw failure
        }
    }
}

/// Why a port could not be opened, and what to do.
struct ListenFailure: Error, CustomStringConvertible {
    let description: String

    /// - Returns: nil when the error is another one.
    init?(_ code: Int32, address: ListenAddress, setting: String) {
        switch code {
        case EADDRINUSE:
            description =
                "\(address) is in use: stop what listens there (`ss -ltnp 'sport = :\(address.port)'` names it), or give another "
                + "address by \(setting)"
        case EACCES, EPERM:
            description =
                "\(address): this user may not listen on port \(address.port): give a port of 1024 or more by \(setting), or the "
                + "process CAP_NET_BIND_SERVICE"
        case EADDRNOTAVAIL:
            description =
                "\(address) is not an address of this machine: give one of those that `ip address` shows, or 0.0.0.0 for all, by "
                + setting
        default: return nil
        }
    }
}
