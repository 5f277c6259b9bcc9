import ArgumentParser
import Foundation
import NIOSSL
import ToolSupport

/// The server that requests are sent to.
struct LoadTarget: Sendable {
    let host: String
    let port: Int
    /// The Host header.
    let authority: String
    /// The TLS context for https; nil for http.
    let tls: NIOSSLContext?

    /// True if the host is this machine.
    var isLoopback: Bool { Self.isLoopback(host) }

    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The name that the server's certificate must contain; nil if the host is an IP address.
    var serverName: String? {
        host.contains(":") || host.split(separator: ".").allSatisfy({ UInt8($0) != nil }) ? nil : host
    }
}

/// The options that specify the server.
struct LoadTargetOptions: ParsableArguments {
    @Option(help: .init("The URL of the key server, such as http://127.0.0.1:8080.", valueName: "url"))
    var server: URLArgument

    @Flag(help: "Allow a server on another machine. Use this only for servers that you operate.")
    var remote = false

    @Option(
        help: .init(
            "The trusted CA certificates for https, in PEM. (default: the CAs of the system)",
            valueName: "file"
        )
    )
    var ca: InputPath?

    func validate() throws {
        guard remote || LoadTarget.isLoopback(host) else {
            throw ValidationError("\(host) is not this machine: give --remote if you operate the server there.")
        }
    }

    /// Returns the server that the options specify.
    func target() throws(CommandFailure) -> LoadTarget {
        let url = server.url
        let isSecure = url.scheme?.lowercased() == "https"
        let shown = host.contains(":") ? "[\(host)]" : host
        let port = url.port ?? (isSecure ? 443 : 80)
        return LoadTarget(host: host, port: port, authority: "\(shown):\(port)", tls: isSecure ? try context() : nil)
    }

    private func context() throws(CommandFailure) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let ca { configuration.trustRoots = .file(ca.path) }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw .file("the certificates of --ca cannot be read", next: "give a PEM file")
        }
    }

    /// The host, without the brackets of an IPv6 address, which Foundation keeps on some platforms.
    private var host: String {
        let host = server.url.host ?? ""
        return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}
