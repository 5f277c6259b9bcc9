import Foundation
import HLSPlaylist
import HTTPRequests
import HTTPTransport
import StreamPlayer
import StreamValidation
import Synchronization
import ToolSupport

/// The resources of a presentation from the web or from files, as `keyway validate` loads them.
///
/// A playlist from the web reads no local files, and, unless it is on such a host itself, nothing from this machine or
/// from private networks. A local playlist reads only files below its folder.
struct StreamResources: ValidationResources {
    /// The location of the playlist on the command line.
    let root: PlaylistLocation
    /// The loader that knows the folder that must contain local files.
    let loader: PlaylistLoader
    /// True if a playlist from a public host may refer to private addresses.
    let allowsPrivateHosts: Bool
    /// The responses of earlier runs; nil if none are kept.
    var cache: ResourceCache?
    /// The limit of bytes per second; nil for none.
    var rate: DownloadRate?
    /// The maximum number of attempts of a request that fails in a way that can pass.
    var attempts = 3

    /// The same resources without further attempts, for a watch, in which each failure counts.
    var withoutRetries: StreamResources {
        var resources = self
        resources.attempts = 1
        return resources
    }

    /// Loads a resource; a request that fails in a way that can pass is repeated.
    func load(_ request: StreamResourceRequest) async throws(ResourceFailure) -> LoadedResource {
        let location: PlaylistLocation
        do {
            location = try root.child(request.url)
        } catch {
            throw ResourceFailure(reason: error.reason)
        }
        switch location {
        case .web(let url):
            try requireAllowed(url)
            return try await loadFromWeb(url, request)
        case .file(let path):
            do {
                try loader.requireBelowRoot(path, root)
            } catch {
                throw ResourceFailure(reason: error.reason)
            }
            var resource = MediaResource(URL(fileURLWithPath: path).absoluteString, range: request.byteRange)
            resource.maximumSize = request.maximumSize
            do {
                let media = try await FileMediaLoader().load(resource)
                return LoadedResource(url: request.url, bytes: media.bytes)
            } catch {
                throw ResourceFailure(reason: error.explanation)
            }
        case .standardInput: throw ResourceFailure(reason: "standard input cannot be read again")
        }
    }

    /// Observes the TLS of a host, with a connection of its own.
    func observeTLS(of host: TLSHost) async -> TLSObservation? { await loader.client.observeTLS(of: host) }

    private func requireAllowed(_ url: URL) throws(ResourceFailure) {
        guard !allowsPrivateHosts, case .web(let own) = root, let host = url.host, host != own.host,
            PrivateHost.isPrivate(host), !PrivateHost.isPrivate(own.host ?? "")
        else { return }
        throw ResourceFailure(reason: "it is on a private address; allow it with --allow-private")
    }

    private func loadFromWeb(_ url: URL, _ request: StreamResourceRequest) async throws(ResourceFailure)
        -> LoadedResource
    {
        var client: any HTTPExchange = loader.client
        if let rate { client = LimitedExchange(client: client, rate: rate) }
        if let cache { client = CachingExchange(client: client, cache: cache) }
        let exchange = ObservingExchange(client)
        if request.byteRange?.upperBound == .max { return try await loadRest(url, request, exchange) }
        var resource = MediaResource(url.absoluteString, range: request.byteRange, maximumSize: request.maximumSize)
        resource.isText = request.purpose == .playlist || request.purpose == .document
        var attempt = 0
        while true {
            do {
                let media = try await HTTPMediaLoader(exchange).load(resource)
                return LoadedResource(url: media.url, bytes: media.bytes, http: exchange.observation(of: url))
            } catch {
                attempt += 1
                guard attempt < attempts, error.isTemporary, error.code != .notFound else {
                    throw ResourceFailure(status: error.status, reason: error.explanation)
                }
                try? await Task.sleep(for: min(error.retryAfter ?? .seconds(attempt), .seconds(10)))
            }
        }
    }

    /// Loads a resource that is still being written, from an offset on, as a player does for a hint without BYTERANGE-LENGTH.
    private func loadRest(
        _ url: URL,
        _ request: StreamResourceRequest,
        _ exchange: ObservingExchange
    ) async throws(ResourceFailure) -> LoadedResource {
        let text = url.absoluteString
        let offset = request.byteRange?.lowerBound ?? 0
        var http = BoundedHTTP.Request(text, timeout: .seconds(600), maximumResponseSize: request.maximumSize)
        // The last position is the largest integer that JavaScript represents exactly, which servers take as an unknown end.
        http.headers = [
            .init("User-Agent", "keyway"), .init("Accept-Encoding", "identity"),
            .init("Range", "bytes=\(offset)-9007199254740991"),
        ]
        http.readsBody = { $0 == 200 || $0 == 206 }
        let answer: BoundedHTTP.Answer
        do {
            answer = try await exchange.send(http, while: nil)
        } catch {
            throw ResourceFailure(reason: "there is no complete response")
        }
        switch answer.status {
        case 206: return LoadedResource(url: text, bytes: answer.body, http: exchange.observation(of: url))
        case 200:
            let bytes = Array(answer.body.dropFirst(Int(clamping: offset)))
            return LoadedResource(url: text, bytes: bytes, http: exchange.observation(of: url))
        default: throw ResourceFailure(status: answer.status, reason: "status \(answer.status)")
        }
    }
}

/// An HTTP client that keeps the head of the last response.
private final class ObservingExchange: HTTPExchange {
    private let client: any HTTPExchange
    private let last = Mutex<BoundedHTTP.Answer?>(nil)

    init(_ client: any HTTPExchange) { self.client = client }

    func send(
        _ request: BoundedHTTP.Request,
        while shouldContinue: (@Sendable (BoundedHTTP.Progress) async -> Bool)?
    ) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Answer {
        let answer = try await client.send(request, while: shouldContinue)
        let head = BoundedHTTP.Answer(
            status: answer.status,
            headers: answer.headers,
            url: answer.url,
            majorVersion: answer.majorVersion
        )
        last.withLock { $0 = head }
        return answer
    }

    func open(_ request: BoundedHTTP.Request) async throws(BoundedHTTP.Failure) -> BoundedHTTP.Head {
        try await client.open(request)
    }

    /// The observations of the last response to a request for a URL.
    func observation(of url: URL) -> HTTPObservation? {
        guard let answer = last.withLock({ $0 }) else { return nil }
        var observation = HTTPObservation()
        observation.contentType = answer.header("Content-Type")
        observation.contentEncoding = answer.header("Content-Encoding")
        observation.redirections = answer.url == url.withoutUserInformation.absoluteString ? 0 : 1
        observation.isSecure = answer.url.lowercased().hasPrefix("https:")
        observation.status = answer.status
        observation.majorVersion = answer.majorVersion
        observation.cacheControl = answer.header("Cache-Control")
        if let date = answer.header("Date").flatMap({ HTTPDate.parse($0) }),
            let modified = answer.header("Last-Modified").flatMap({ HTTPDate.parse($0) })
        {
            observation.secondsSinceModification = date.timeIntervalSince(modified)
        }
        return observation
    }
}
