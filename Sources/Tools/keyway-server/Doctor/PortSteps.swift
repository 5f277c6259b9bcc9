import Foundation
import Glibc
import KeyServer
import TextCoding
import ToolSupport

/// The step of the diagnosis about the addresses to listen on: whether they are free, used by a running server, or held
/// by another program.
enum PortSteps {
    /// The maximum number of processes whose open files are read to find the holder of a port.
    private static let maximumProcesses = 4096

    /// Checks the addresses.
    static func run(_ configuration: ServerConfiguration) async -> Diagnosis.Step {
        var step = Diagnosis.Step("ports")
        var facts: [String] = []
        for (setting, address) in [("listen", configuration.listen), ("admin.listen", configuration.admin.listen)] {
            guard let address, address.port > 0 else { continue }
            switch bindError(address) {
            case 0: facts.append("\(address) is free")
            case EADDRINUSE:
                if holdsServer(address.port) {
                    facts.append("\(address) is used by a running keyway-server")
                    continue
                }
                guard let holder = holder(of: address.port) else {
                    step.problems.append(
                        .warning(
                            "port-in-use",
                            "The port of `\(setting)`, \(address), is in use, by a server or by another program.",
                            remedy: "Run this as root or as the user of the server, to see which program it is."
                        )
                    )
                    continue
                }
                step.problems.append(
                    .failure(
                        "port-taken",
                        "The port of `\(setting)`, \(address), is taken by \(holder).",
                        remedy: "Stop that program, or change `\(setting)`: `ss -ltnp 'sport = :\(address.port)'`."
                    )
                )
            case let code:
                step.problems.append(
                    .failure(
                        "address-unusable",
                        "The server cannot listen on \(address) (`\(setting)`): \(String(cString: strerror(code))).",
                        remedy: code == EACCES
                            ? "Ports below 1024 need AmbientCapabilities=CAP_NET_BIND_SERVICE in the unit."
                            : "Give an address of this machine: `ip address`."
                    )
                )
            }
        }
        step.summary = facts.joined(separator: ", ")
        if step.summary.isEmpty, step.problems.isEmpty { return .skipped("ports", "the system chooses the port") }
        return step
    }

    /// Binds a socket to an address as a server does, and closes it.
    ///
    /// - Returns: 0 if that succeeds, otherwise the error number of `bind`.
    private static func bindError(_ address: ListenAddress) -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &found) == 0, let first = found else {
            return EADDRNOTAVAIL
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(first.pointee.ai_family, first.pointee.ai_socktype, first.pointee.ai_protocol)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // As the server: connections of an earlier process that are being closed do not prevent it.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        return bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0 ? 0 : errno
    }

    /// True if a process with the name of the server listens on a port.
    private static func holdsServer(_ port: Int) -> Bool { holder(of: port)?.hasPrefix("keyway-server ") ?? false }

    /// Returns the name and the ID of the process that listens on a TCP port, such as `nginx (1234)`; nil if it cannot be
    /// determined, because only root sees the processes of other users.
    private static func holder(of port: Int) -> String? {
        let sockets = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap { listeningSockets($0, port: port) }
        guard !sockets.isEmpty else { return nil }
        let names = Set(sockets.map { "socket:[\($0)]" })
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for process in processes.filter({ Int($0) != nil }).prefix(maximumProcesses) {
            let folder = "/proc/\(process)/fd"
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let isHolder = files.contains { file in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(file)")
                return target.map(names.contains) ?? false
            }
            guard isHolder else { continue }
            // The first line of `comm` has at most 15 characters; the executable's name has all.
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
            let name = path?.split(separator: "/").last.map { String($0.prefix { $0 != " " }) } ?? "process"
            return "\(name) (\(process))"
        }
        return nil
    }

    /// Returns the inodes of the sockets that listen on a port, from a table of the kernel (proc(5)).
    private static func listeningSockets(_ table: String, port: Int) -> [Substring] {
        guard let text = try? String(contentsOfFile: table, encoding: .utf8) else { return [] }
        let suffix =
            ":" + String(repeating: "0", count: max(0, 4 - String(port, radix: 16).count))
            + String(port, radix: 16, uppercase: true)
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            // The local address, the state (0A is LISTEN), and the inode.
            guard fields.count > 9, fields[1].hasSuffix(suffix), fields[3] == "0A" else { return nil }
            return fields[9]
        }
    }
}
