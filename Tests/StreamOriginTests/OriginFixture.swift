import FileAccess
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

@testable import StreamOrigin

/// An origin without a port, whose folder is read when a test says so.
struct OriginFixture {
    let files: ServedFolder
    let channels = LiveChannels(memoryLimit: 1 << 20, maximum: 10)
    let metrics = OriginMetrics()
    var crossOrigin = CrossOriginPolicy.any
    var uploads: UploadResponder?
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws { files = try ServedFolder() }

    var access: FolderAccess { FolderAccess(root: files.root) }

    /// Accepts uploads with the tokens of a file.
    mutating func acceptUploads(_ tokens: String, limits: UploadLimits = UploadLimits()) throws {
        try files.write(".tokens", Array(tokens.utf8))
        chmod("\(files.root)/.tokens", 0o600)
        uploads = UploadResponder(
            tokens: try UploadTokens(path: "\(files.root)/.tokens"),
            folder: WritableFolder(access: access),
            limits: limits,
            metrics: metrics,
            logger: logger
        )
    }

    /// Reads the folder.
    func scan() {
        ChannelFolder(access: access, channels: channels, logger: logger).scan(now: .zero)
    }

    /// Reads what has changed.
    func apply(_ changes: [FolderChange]) {
        ChannelFolder(access: access, channels: channels, logger: logger).apply(changes, now: .zero)
    }

    /// Publishes a channel, and reads it.
    func publish(_ segments: Int, _ parts: Int, window: LiveWindow = LiveWindow()) throws {
        try files.publish("news", segments: segments, parts: parts, window: window)
        scan()
    }

    /// Runs a test with a client. The clock of requests stands still.
    func test(_ body: @escaping @Sendable (any TestClientProtocol) async throws -> Void) async throws {
        let clock: @Sendable () -> Duration = { .zero }
        let responder = OriginResponder(
            channels: channels,
            files: FileResponder(channels: channels, access: access, metrics: metrics, clock: clock),
            playlists: PlaylistResponder(channels: channels, metrics: metrics, clock: clock),
            uploads: uploads,
            crossOrigin: crossOrigin,
            metrics: metrics,
            isHealthy: { [channels] in !channels.isClosed },
            clock: clock,
            logger: logger
        )
        let application = Application(responder: responder, logger: logger)
        try await application.test(.router, body)
    }

    /// Waits until a number of requests wait.
    func waiting(_ count: Int) async {
        while channels.all.reduce(0, { $0 + $1.waiting }) != count { await Task.yield() }
    }
}

extension TestClientProtocol {
    func get(_ uri: String, _ headers: HTTPFields = [:]) async throws -> TestResponse {
        try await execute(uri: uri, method: .get, headers: headers) { $0 }
    }
}

extension TestResponse {
    var bytes: [UInt8] { Array(body.readableBytesView) }
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
