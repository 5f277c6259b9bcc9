public import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Fetches media by HTTP, with async-http-client, and from `file:` URLs. Redirects are followed.
public struct HTTPMediaLoader: MediaLoader {
    private let client: HTTPClient
    private let timeout: Duration

    /// Uses a client that somebody else shuts down.
    ///
    /// - Parameter timeout: how long a resource may take as a whole.
    public init(_ client: HTTPClient, timeout: Duration = .seconds(20)) {
        (self.client, self.timeout) = (client, timeout)
    }

    /// Uses a client for the whole process, which is never shut down.
    public init(timeout: Duration = .seconds(20)) { self.init(Self.shared, timeout: timeout) }

    private static let shared: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .follow(max: 5, allowCycles: false),
            timeout: .init(connect: .seconds(5)),
            connectionPool: .init(idleTimeout: .seconds(60)),
            decompression: .disabled
        )
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(
            eventLoopGroupProvider: .shared(HTTPClient.defaultEventLoopGroup),
            configuration: configuration
        )
    }()

    /// Fetches a resource.
    public func load(_ resource: MediaResource) async throws(MediaLoadError) -> LoadedMedia {
        try await load(resource, asking: nil)
    }

    /// Fetches a resource, and asks each quarter of a second whether it goes on.
    public func load(
        _ resource: MediaResource,
        whileItGoesOn goesOn: @escaping @Sendable (MediaProgress) async -> Bool
    ) async throws(MediaLoadError) -> LoadedMedia {
        try await load(resource, asking: goesOn)
    }

    private func load(
        _ resource: MediaResource,
        asking goesOn: (@Sendable (MediaProgress) async -> Bool)?
    ) async throws(MediaLoadError) -> LoadedMedia {
        if resource.url.lowercased().hasPrefix("file:") { return try Self.file(resource) }
        let meter = DownloadMeter()
        // The client's own deadline ends with the head, and a body may trickle for ever.
        return try await withTaskGroup(of: Result<LoadedMedia, MediaLoadError>?.self) { tasks in
            tasks.addTask { await exchange(resource, meter) }
            tasks.addTask {
                (try? await Task.sleep(for: timeout)).map { .failure(MediaLoadError(.deadline, resource.url)) }
            }
            if let goesOn {
                tasks.addTask {
                    while (try? await Task.sleep(for: Self.askingInterval)) != nil {
                        guard await goesOn(meter.progress) else {
                            return .failure(MediaLoadError(.abandoned, resource.url))
                        }
                    }
                    return nil
                }
            }
            defer { tasks.cancelAll() }
            for await result in tasks {
                if let result { return result }
            }
            return .failure(MediaLoadError(.cancelled, resource.url))
        }.get()
    }

    private static let askingInterval = Duration.milliseconds(250)

    private func exchange(
        _ resource: MediaResource,
        _ meter: DownloadMeter
    ) async -> Result<LoadedMedia, MediaLoadError> {
        func failure(_ code: MediaLoadError.Code, _ status: Int? = nil) -> Result<LoadedMedia, MediaLoadError> {
            .failure(MediaLoadError(code, resource.url, status: status))
        }
        var request = HTTPClientRequest(url: resource.url)
        request.headers.add(name: "User-Agent", value: "keyway")
        if let range = resource.range {
            guard !range.isEmpty else { return failure(.wrongRange) }
            request.headers.add(name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
        }
        do {
            let limit = TimeAmount.seconds(timeout.components.seconds + 5)
            let response = try await client.execute(request, timeout: limit)
            let status = Int(response.status.code)
            switch status {
            case 404, 410: return failure(.notFound, status)
            case 200, 206: break
            default: return failure(.status, status)
            }
            meter.begin(expecting: response.headers.first(name: "Content-Length").flatMap { UInt64($0) })
            var bytes: [UInt8] = []
            for try await chunk in response.body {
                guard chunk.readableBytes <= resource.maximumSize - bytes.count else { return failure(.tooLarge) }
                bytes.append(contentsOf: chunk.readableBytesView)
                meter.note(received: bytes.count)
            }
            if let range = resource.range {
                // A server that knows no ranges sends everything.
                if status == 200 {
                    guard range.upperBound <= UInt64(bytes.count) else { return failure(.wrongRange, status) }
                    bytes = Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
                }
                guard UInt64(bytes.count) == range.upperBound - range.lowerBound else {
                    return failure(.wrongRange, status)
                }
            } else if status == 206 {
                return failure(.wrongRange, status)
            }
            return .success(LoadedMedia(bytes: bytes, url: response.url?.absoluteString ?? resource.url))
        } catch let error as HTTPClientError where Self.isAddressError(error) {
            return failure(.badAddress)
        } catch {
            return failure(Task.isCancelled ? .cancelled : .noConnection)
        }
    }

    private static func isAddressError(_ error: HTTPClientError) -> Bool {
        [.invalidURL, .emptyHost, .emptyScheme].contains(error) || "\(error)".contains("unsupportedScheme")
    }

    private static func file(_ resource: MediaResource) throws(MediaLoadError) -> LoadedMedia {
        guard let url = URL(string: resource.url), let handle = try? FileHandle(forReadingFrom: url) else {
            throw MediaLoadError(.notFound, resource.url)
        }
        defer { try? handle.close() }
        let range = resource.range
        let wanted = range.map { $0.upperBound - $0.lowerBound } ?? UInt64(resource.maximumSize) + 1
        guard wanted <= UInt64(resource.maximumSize) + 1 else { throw MediaLoadError(.tooLarge, resource.url) }
        guard (try? handle.seek(toOffset: range?.lowerBound ?? 0)) != nil,
            let data = try? handle.read(upToCount: Int(wanted))
        else { throw MediaLoadError(.wrongRange, resource.url) }
        if range == nil, data.count > resource.maximumSize { throw MediaLoadError(.tooLarge, resource.url) }
        if range != nil, UInt64(data.count) != wanted { throw MediaLoadError(.wrongRange, resource.url) }
        return LoadedMedia(bytes: Array(data), url: resource.url)
    }
}
