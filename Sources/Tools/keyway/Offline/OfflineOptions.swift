import ArgumentParser
import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Foundation
import HTTPTransport
import OfflineAssets
import StreamPlayer
import VirtualDevice

/// Where what belongs to downloads is kept.
struct OfflineHomeOptions: ParsableArguments {
    @Option(
        help: .init(
            "Where keys and the device's memory are kept; .keyway beside the downloads unless given.",
            valueName: "dir"
        ),
        transform: OutputPath.parse
    )
    var state: String?

    @Option(
        name: .customLong("storage-key"),
        help: .init(
            "The file of the key that everything there is encrypted under, 32 bytes, mode 0600; made when it is not "
                + "there. storage.key in the state folder unless given: whoever copies that has both.",
            valueName: "file"
        )
    )
    var storageKey: String?
}

/// The device that keeps keys, and the server that gives them.
struct OfflineKeyOptions: ParsableArguments {
    @OptionGroup var home: OfflineHomeOptions

    @Option(help: .init("The key server, such as http://127.0.0.1:8080.", valueName: "url"))
    var server: String?

    @OptionGroup var device: PlayDeviceOptions

    @Option(help: .init("The token that the key server wants.", valueName: "text|@file"))
    var token: String?

    func validate() throws {
        if let server, KeyServerClient.url(server) == nil {
            throw ValidationError("--server is a URL that begins with http:// or https://.")
        }
        guard server == nil || device.isGiven else {
            throw ValidationError("--server needs one of --credentials, --ask and --dask.")
        }
    }

    /// The keys of a folder of downloads.
    ///
    /// - Parameter requiresServer: whether the command can do nothing without one.
    func keys(_ home: OfflineHome, requiresServer: Bool = false) throws -> OfflineKeys {
        guard server != nil || !requiresServer else {
            throw CommandFailure.usage("this needs the key server", next: "give --server and --credentials")
        }
        let token = try Self.token(token)
        let service = server.map { server in
            OfflineKeyService.keyway(server.hasSuffix("/") ? String(server.dropLast()) : server) { _ in
                token.map { PlaybackToken($0) }
            }
        }
        return OfflineKeys(
            store: home.store,
            device: try makeDevice(home),
            service: service,
            transport: HTTPClientTransport(),
            clocks: .init { SystemDeviceClock().now }
        ) { key in
            guard let key = key as? DeviceKey else { throw ContentKeyError(.notOfKeySystem, .device) }
            do throws(FPSError) {
                let content = try key.contentKey()
                return PlayableKey(key: content.key, initializationVector: content.iv)
            } catch {
                throw ContentKeyError(.init(rawValue: error.name), .device, reason: error.reason, number: error.code)
            }
        }
    }

    /// The same device as the last time.
    private func makeDevice(_ home: OfflineHome) throws -> FPSDevice {
        guard let profile = DeviceProfile.named(device.profile) else {
            throw CommandFailure.usage("there is no device \(device.profile)", next: "see keyway device play --help")
        }
        // Without a server no SPC is made, so that any DASk will do.
        var random = SecureRandom()
        let rule: DASkRule =
            device.isGiven ? try device.rule() : .fixed(SecretBytes(count: 16, randomFrom: &random))
        do throws(FPSError) {
            return try FPSDevice(profile: profile, dask: rule, memory: home.deviceMemory)
        } catch {
            throw CommandFailure.file(
                "the device's memory cannot be used: \(error)",
                next: "is --storage-key the one that it was made with?"
            )
        }
    }

    private static func token(_ token: String?) throws -> String? {
        guard let token, token.hasPrefix("@") else { return token }
        return String(decoding: try InputFile.readLine(String(token.dropFirst())), as: UTF8.self)
    }
}
