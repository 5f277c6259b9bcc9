import ArgumentParser
import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Foundation
import HTTPTransport
import OfflineAssets
import StreamPlayer
import ToolSupport
import VirtualDevice

/// The options that specify where keys and device storage are located.
struct OfflineStorageOptions: ParsableArguments {
    @Option(
        help: .init(
            "The folder of the keys and the device identity. (default: .keyway in the folder of "
                + "downloads)",
            valueName: "folder"
        )
    )
    var state: OutputPath?

    @Option(
        name: .customLong("storage-key"),
        help: .init(
            "The file with the 32-byte key that encrypts the --state folder. A file that exists must "
                + "be readable only by its owner; otherwise it is created with mode 0600. (default: "
                + "storage.key in the --state folder; anyone who copies that folder then has the key too)",
            valueName: "file"
        )
    )
    var storageKey: OutputPath?
}

/// The options that specify the device that stores keys, and the server that issues them.
struct OfflineKeyOptions: ParsableArguments {
    @OptionGroup var storage: OfflineStorageOptions

    @Option(
        help: .init(
            "The URL of the key server, such as http://127.0.0.1:8080; it requires one of "
                + "--credentials, --ask, and --dask. (default: no key server)",
            valueName: "url"
        )
    )
    var server: URLArgument?

    @OptionGroup var device: PlayDeviceOptions

    @Option(
        help: .init("The playback token that the key server requires. (default: no token)", valueName: "text|@file")
    )
    var token: SecretArgument?

    @OptionGroup(title: "Requests") var web: WebOptions

    func validate() throws {
        guard server == nil || device.isGiven else {
            throw ValidationError("--server requires one of --credentials, --ask, and --dask.")
        }
    }

    /// Returns the keys of a folder of downloads.
    ///
    /// - Parameters:
    ///   - requiresServer: Whether the command requires a key server.
    ///   - client: The client for the requests of keys; nil for one with the options for requests.
    func keys(
        _ storage: OfflineStorage,
        requiresServer: Bool = false,
        client: WebClient? = nil
    ) throws -> OfflineKeys {
        guard server != nil || !requiresServer else {
            throw CommandFailure.usage("this command requires the key server", next: "give --server and --credentials")
        }
        let client = try client ?? web.client(for: [server?.url].compactMap { $0 })
        let token = try token?.text(option: "--token")
        let service = server.map { server in
            OfflineKeyService.keyway(server.base) { _ in token.map { PlaybackToken($0) } }
        }
        let device = try makeDevice(storage)
        return OfflineKeys(
            store: storage.store,
            device: device,
            service: service,
            transport: HTTPClientTransport(client.withoutRedirects),
            clocks: .init { device.clock.now }
        ) { key in
            guard let key = key as? DeviceKey else { throw ContentKeyError(.unsupportedOperation, .device) }
            do throws(FPSError) {
                let content = try key.contentKey()
                return PlayableKey(key: content.key, initializationVector: content.iv)
            } catch {
                throw ContentKeyError(.init(rawValue: error.name), .device, reason: error.reason, number: error.code)
            }
        }
    }

    /// Returns the device with the same storage as in earlier runs.
    private func makeDevice(_ storage: OfflineStorage) throws -> FPSDevice {
        // Without a server, no SPC is created, so any DASk works.
        var random = SecureRandom()
        let rule: DASkRule =
            device.isGiven ? try device.source.rule() : .fixed(SecretBytes(count: 16, randomFrom: &random))
        let memory = storage.deviceMemory
        // A new device cannot be stored; it has no keys.
        guard memory.exists || !memory.isReadOnly else {
            return FPSDevice(profile: device.profile.value, dask: rule)
        }
        do throws(FPSError) {
            return try FPSDevice(profile: device.profile.value, dask: rule, memory: memory)
        } catch {
            throw CommandFailure.file(
                "the device storage cannot be read: \(error)",
                next: "check that --storage-key is the key that it was created with"
            )
        }
    }
}
