import FileAccess
import HTTPListening
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The limits of uploads.
package struct UploadLimits: Sendable {
    /// The maximum size of a file, in bytes.
    package var fileBytes = 64 << 20
    /// The maximum size of a part, in bytes: it is in memory until it is complete.
    package var partBytes = 16 << 20
    /// The maximum number of uploads at once.
    package var concurrent = 64

    /// Creates the default limits.
    package init() {}
}

/// Answers PUT and DELETE of packagers on other hosts.
struct UploadResponder: Sendable {
    let tokens: UploadTokens
    let folder: WritableFolder
    let limits: UploadLimits
    let metrics: OriginMetrics
    let logger: Logger
    let active = ActiveUploads()

    /// The paths that are being written.
    final class ActiveUploads: Sendable {
        private let paths = Mutex<Set<String>>([])

        /// Adds a path; false if it is being written already, or there are too many.
        func begin(_ path: String, limit: Int) -> Bool {
            paths.withLock { $0.count < limit && $0.insert(path).inserted }
        }

        func end(_ path: String) { paths.withLock { _ = $0.remove(path) } }
    }

    func answer(_ request: Request, _ path: String, _ context: OriginRequestContext) async -> Response {
        if let refusal = refusal(of: request, path) { return refusal }
        guard active.begin(path, limit: limits.concurrent) else {
            return .failure(.serviceUnavailable, "The file is being written, or there are too many uploads.")
        }
        defer { active.end(path) }
        do {
            switch request.method {
            case .delete: return try await delete(path)
            default:
                guard let field = request.headers[.contentRange] else {
                    return try await replace(request, path, context)
                }
                guard let range = ContentRange(field) else {
                    return .failure(
                        .badRequest,
                        "Content-Range must be `bytes FIRST-LAST/*` or `bytes FIRST-LAST/LENGTH`."
                    )
                }
                return try await append(request, path, range, context)
            }
        } catch let failure as UploadFailure {
            return response(failure, path)
        } catch is BodyDeadlineExceeded {
            return .failure(.requestTimeout, "The body did not arrive in time.", cache: CachePolicy.none)
        } catch {
            return .failure(.badRequest, "The body is incomplete.", cache: CachePolicy.none)
        }
    }

    /// Returns the response to a client without a token for the channel; nil if it may write.
    private func refusal(of request: Request, _ path: String) -> Response? {
        do throws(UploadTokenError) {
            try tokens.reloadIfChanged()
        } catch {
            logger.error("the tokens cannot be read again; the previous ones stay valid: \(error)")
        }
        var token = Substring()
        if let field = request.headers[.authorization], field.prefix(7).lowercased() == "bearer " {
            token = field.dropFirst(7)
        }
        switch tokens.permission(of: token, channel: ChannelPath.channel(of: path)) {
        case .granted: return nil
        case .otherChannel: return .failure(.forbidden, "The token is for another channel.", cache: CachePolicy.none)
        case .unknown:
            var response = Response.failure(.unauthorized, "A token is required.", cache: CachePolicy.none)
            response.headers[.wwwAuthenticate] = "Bearer"
            return response
        }
    }

    private func replace(
        _ request: Request,
        _ path: String,
        _ context: OriginRequestContext
    ) async throws -> Response {
        guard declaredLength(request) <= limits.fileBytes else { return tooLarge(limits.fileBytes) }
        let file = try await onThread { [folder] in try folder.create(for: path) }
        var count = 0
        context.sendContinue()
        for try await bytes in request.body {
            count += bytes.readableBytes
            guard count <= limits.fileBytes else { return tooLarge(limits.fileBytes) }
            metrics.received(bytes.readableBytes)
            try await onThread { try bytes.withUnsafeReadableBytes { try file.write($0) } }
        }
        // HTTP/2 permits a body of another length than announced to reach this point.
        if let length = request.headers[.contentLength], Int(length) != count {
            return .failure(.badRequest, "The body is incomplete.", cache: CachePolicy.none)
        }
        let isNew = try await onThread { [folder] in try folder.publish(file, at: path) }
        return success(isNew ? .created : .noContent)
    }

    private func append(
        _ request: Request,
        _ path: String,
        _ range: ContentRange,
        _ context: OriginRequestContext
    ) async throws -> Response {
        let length = range.last - range.first + 1
        guard length <= limits.partBytes else { return tooLarge(limits.partBytes) }
        guard range.last < limits.fileBytes else { return tooLarge(limits.fileBytes) }
        guard declaredLength(request) <= length else { return tooLong }
        context.sendContinue()
        let bytes: ByteBuffer
        do {
            bytes = try await request.body.collect(upTo: length)
        } catch is NIOTooManyBytesError {
            return tooLong
        }
        guard bytes.readableBytes == length else {
            return .failure(.badRequest, "The body is shorter than Content-Range states.", cache: CachePolicy.none)
        }
        metrics.received(length)
        let isNew = try await onThread { [folder] in
            try bytes.withUnsafeReadableBytes {
                try folder.append($0, at: range.first, total: range.total, to: path)
            }
        }
        return success(isNew ? .created : .noContent)
    }

    private func delete(_ path: String) async throws -> Response {
        let existed = try await onThread { [folder] in try folder.remove(path) }
        return existed
            ? success(.noContent) : .failure(.notFound, "There is no such file.", cache: CachePolicy.none)
    }

    // MARK: Helpers

    private func onThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await NIOThreadPool.singleton.runIfActive(work)
    }

    private func declaredLength(_ request: Request) -> Int {
        request.headers[.contentLength].map { Int($0) ?? .max } ?? 0
    }

    private func success(_ status: HTTPResponse.Status) -> Response {
        Response(status: status, headers: [.cacheControl: CachePolicy.none])
    }

    private func tooLarge(_ limit: Int) -> Response {
        .failure(.contentTooLarge, "The limit is \(limit) bytes.", cache: CachePolicy.none)
    }

    private var tooLong: Response {
        .failure(.badRequest, "The body is longer than Content-Range states.", cache: CachePolicy.none)
    }

    private func response(_ failure: UploadFailure, _ path: String) -> Response {
        switch failure {
        case .noSpace:
            logger.error("the disk is full", metadata: ["path": "\(path)"])
            return .failure(
                .init(code: 507, reasonPhrase: "Insufficient Storage"),
                "The disk is full.",
                cache: CachePolicy.none
            )
        case .conflict(let size):
            var response = Response.failure(
                .conflict,
                "The part does not continue the file, which has \(size) bytes, or differs from it.",
                cache: CachePolicy.none
            )
            if let name = HTTPField.Name("Upload-Offset") { response.headers[name] = "\(size)" }
            return response
        case .notFolder: return .failure(.conflict, "A folder or a file is in the way.", cache: CachePolicy.none)
        case .system(let code):
            logger.error("an upload failed", metadata: ["path": "\(path)", "error": "\(code)"])
            return .failure(.internalServerError, "The file cannot be written.", cache: CachePolicy.none)
        }
    }
}
