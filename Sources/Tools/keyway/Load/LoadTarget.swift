import ArgumentParser
import Foundation
import NIOSSL

/// Where requests go.
struct LoadTarget: Sendable {
    let host: String
    let port: Int
    /// The Host header.
    let authority: String
    /// For https.
    let tls: NIOSSLContext?

    /// Whether only this machine can be meant.
    var isLoopback: Bool { Self.isLoopback(host) }

    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The name that the server's certificate has to be for; nil where it is an address.
    var serverName: String? {
        host.contains(":") || host.split(separator: ".").allSatisfy({ UInt8($0) != nil }) ? nil : host
    }
}

/// The server that is asked.
struct LoadTargetOptions: ParsableArguments {
    @Option(help: .init("The key server, such as http://127.0.0.1:8080.", valueName: "url"))
    var server: String

    @Flag(help: "Let the server be on another machine. It should be yours.")
    var remote = false

    @Option(help: .init("For https: the certificates to trust, in PEM, instead of the system's.", valueName: "file"))
    var ca: String?

    func validate() throws {
        guard let url = KeyServerClient.url(server), let host = url.host else {
            throw ValidationError("--server is a URL that begins with http:// or https://.")
        }
        guard remote || LoadTarget.isLoopback(Self.bare(host)) else {
            throw ValidationError("\(host) is not this machine: say --remote if the server there is yours to load.")
        }
    }

    /// What the options say.
    func target() throws(CommandFailure) -> LoadTarget {
        guard let url = KeyServerClient.url(server), let host = url.host else {
            throw .usage("\(server) is no address")
        }
        let isSecure = url.scheme?.lowercased() == "https"
        let bare = Self.bare(host)
        let shown = bare.contains(":") ? "[\(bare)]" : bare
        let port = url.port ?? (isSecure ? 443 : 80)
        return LoadTarget(host: bare, port: port, authority: "\(shown):\(port)", tls: isSecure ? try context() : nil)
    }

    private func context() throws(CommandFailure) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        if let ca { configuration.trustRoots = .file(ca) }
        do {
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw .file("the certificates of --ca cannot be read", next: "give a file in PEM")
        }
    }

    /// Foundation keeps the brackets of an IPv6 address, and does not everywhere.
    private static func bare(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}
