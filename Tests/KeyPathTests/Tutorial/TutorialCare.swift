// The code of steps 6 to 10 of FromAnAppToOneWithKeys.md. TutorialTextTests.swift compares the two, and
// TutorialCareTests.swift runs the code.

import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Foundation
import HLSPlaylist
import VirtualDevice

// step 6
func messageForViewer(_ kind: KeyFailure.Kind) -> String {
    switch kind {
    case .noConnection, .timeout, .deadlineExceeded, .malformedResponse: "Check the network connection."
    case .tokenRefused, .noToken: "Sign in again."
    case .forbidden: "This cannot be played here with your account."
    case .overloaded, .tooManyRequests, .serverError: "Try again in a few minutes."
    case .ckcRejected: "This cannot be played on this device or screen."
    case .keyNotStored: "Free storage on your device."
    case .spcCreationFailed: "Update your device's system."
    default: "This cannot be played. Tell our support: \(kind.rawValue)."
    }
}

/// Returns the failure of a key; nil if the key has loaded since.
func failure(of identifier: String, in loader: KeyLoader) async -> KeyFailure? {
    await loader.lastFailure(for: identifier)
}
// end

// step 6
func support(_ loader: KeyLoader) async -> [String] {
    let accesses = await loader.accessLog.entries
    let waits = accesses.filter { $0.kind == .onDemand }.map { "waited for \($0.label), \($0.duration)" }
    let failures = await loader.errorLog.entries.map { "\($0.label): \($0.failure). \($0.advice)" }
    return waits + failures
}
// end

// step 7
actor KeyFolder: PersistentKeyStore {
    private let folder: URL

    /// Creates the folder if it does not exist.
    init(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
    }

    /// Returns a stored key. A key that cannot be read is requested from the server again.
    func key(for identifier: String) -> [UInt8]? { (try? Data(contentsOf: file(of: identifier))).map(Array.init) }

    func save(_ key: [UInt8], for identifier: String) throws {
        try Data(key).write(to: file(of: identifier), options: .atomic)
    }

    /// Returns the file of a key. The identifier is from a playlist, so it is never used as part of a path.
    private func file(of identifier: String) -> URL {
        let hash = SHA256.hash(Array(identifier.utf8))
        return folder.appending(path: hash.map { String($0, radix: 16) }.joined(separator: "-"))
    }
}

func requestPersistentKeys(_ identifiers: [String], in session: KeySession) async {
    for identifier in identifiers {
        await session.processContentKeyRequest(identifier: identifier, options: .init(isPersistable: true))
    }
}

/// Stores the keys that the device replaces, until the session ends. `report` gets the errors of the storage.
func storeReplacedKeys(
    _ events: AsyncStream<ContentKeyEvent>,
    in keys: KeyFolder,
    report: @Sendable (any Error) async -> Void
) async {
    for await event in events {
        guard case .didUpdatePersistableKey(let key, let identifier) = event else { continue }
        do {
            try await keys.save(key.bytes, for: identifier)
        } catch {
            await report(error)
        }
    }
}
// end

// step 8
extension KeyLoaderSettings {
    /// Settings for a channel whose keys change every five minutes.
    static var live: KeyLoaderSettings {
        var settings = patient
        settings.rotation = RotationSchedule(period: .seconds(300), window: .seconds(60))
        return settings
    }
}

func reloaded(_ playlist: MediaPlaylist, by loader: KeyLoader) async throws {
    var newest: String?
    for segment in try playlist.resolvedSegments() { newest = segment.keys[.fairPlay]?.uri ?? newest }
    if let newest { await loader.keysAppeared([newest]) }
}
// end

// step 9
func underTest(
    _ device: FPSDevice,
    _ service: KeyService,
    _ transport: any KeyTransport,
    _ settings: KeyLoaderSettings,
    clock: some Clock<Duration>,
    random: any RandomNumberGenerator & Sendable
) -> (session: KeySession, loader: KeyLoader) {
    let session = KeySession(device: device, clock: clock, responseTimeout: nil, renewalLead: nil)
    let loader = KeyLoader(
        source: session,
        service: service,
        transport: transport,
        settings: settings,
        clock: clock,
        random: random
    )
    return (session, loader)
}

/// A server that always returns the same response.
struct FixedResponse: KeyTransport {
    let answer: KeyTransportResponse

    func send(_: KeyTransportRequest) async throws(KeyTransportError) -> KeyTransportResponse { answer }
}
// end

// step 10
func keyLoader(over source: any ContentKeySource, _ service: KeyService, _ transport: any KeyTransport) -> KeyLoader {
    KeyLoader(source: source, service: service, transport: transport, settings: .patient)
}
// end
