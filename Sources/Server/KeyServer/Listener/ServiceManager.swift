import Glibc

/// Notifies systemd of the state of this process, over the socket in `NOTIFY_SOCKET`. It does nothing if the variable
/// is not set.
package enum ServiceManager {
    /// The state of the process.
    package enum State: String, Sendable {
        /// The ports are open.
        case ready = "READY=1"
        /// Open requests are being finished.
        case stopping = "STOPPING=1"
    }

    /// Notifies systemd; failures are ignored.
    package static func notify(_ state: State) {
        if let path = getenv("NOTIFY_SOCKET") { notify(state, socket: String(cString: path)) }
    }

    static func notify(_ state: State, socket path: String) {
        var address = sockaddr_un()
        var name = Array(path.utf8)
        // A name that starts with @ is in the abstract namespace, in which the first byte is zero.
        guard let first = name.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
            name.count < MemoryLayout.size(ofValue: address.sun_path)
        else { return }
        if first == UInt8(ascii: "@") { name[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let text = Array(state.rawValue.utf8)
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }
}
