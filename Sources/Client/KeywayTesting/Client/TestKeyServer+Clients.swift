public import ContentKeySession
import ContentKeySessionTesting
import Locking
public import VirtualDevice

extension TestKeyServer {
    /// Returns a client of this server: a device with a session and a key loader, as an app has them.
    ///
    /// - Parameters:
    ///   - device: The device; nil means a new virtual iPhone. Pass the device of another client to relaunch the app.
    ///   - persistentKeys: The store of persistent keys, such as the app's own store on disk. The client saves replaced
    ///     keys in it, too.
    ///   - settings: The settings of the key loader. Its store of persistent keys is replaced by `persistentKeys`.
    ///   - token: The function that returns the bearer token.
    @available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
    public func makeClient(
        device: (any PersistentKeyDevice)? = nil,
        persistentKeys: any PersistentKeyStore = TestPersistentKeys(),
        settings: KeyLoaderSettings = KeyLoaderSettings(),
        token: @escaping @Sendable (KeyService.Purpose) async throws -> PlaybackToken? = { _ in nil }
    ) -> TestKeyClient {
        var settings = settings
        settings.persistentKeys = persistentKeys
        return makeClient(device: device, persistentKeys: persistentKeys) { [settings] session in
            KeyLoader(
                source: session,
                service: self.service(token: token),
                transport: self,
                settings: settings,
                clock: self.clock,
                random: SeededNumbers(seed: 1)
            )
        }
    }

    /// Returns a client whose key loader the app creates, to test the app's own settings.
    ///
    ///     let client = server.makeClient(loader: { session in
    ///         MyKeys(session: session, server: server.url, transport: server, clock: server.clock).loader
    ///     })
    ///
    /// - Parameters:
    ///   - device: The device; nil means a new virtual iPhone.
    ///   - persistentKeys: The store in which the client replaces keys that the device replaces. Pass it to the
    ///     loader's settings, too.
    ///   - loader: A function that creates the loader for a session. The loader must use the server as its transport,
    ///     the server's addresses and the server's clock. The client runs it.
    @available(iOS 18, macOS 15, tvOS 18, visionOS 2, *)
    public func makeClient(
        device: (any PersistentKeyDevice)? = nil,
        persistentKeys: any PersistentKeyStore = TestPersistentKeys(),
        loader: (KeySession) -> KeyLoader
    ) -> TestKeyClient {
        let device = device ?? makeDevice()
        // The loader has the deadlines and renews the leases.
        let session = KeySession(device: device, clock: clock, responseTimeout: nil, renewalLead: nil)
        state.withLock { $0.sessions.append(session) }
        return TestKeyClient(self, device, session, loader(session), persistentKeys)
    }

    /// Returns a virtual device that this server accepts, with the server's clock.
    ///
    /// - Parameter profile: The kind of device; the profiles are declared in the module `VirtualDevice`.
    public func makeDevice(_ profile: DeviceProfile = .iPhone) -> FPSDevice {
        FPSDevice(profile: profile, dask: .development(ask: TestIdentity.ask), clock: clock.deviceClock)
    }

    /// Returns a device without cryptography, with the server's clock.
    public func makeScriptedDevice(supportsPersistableKeys: Bool = true) -> ScriptedDevice {
        ScriptedDevice(clock: clock, supportsPersistableKeys: supportsPersistableKeys)
    }
}
