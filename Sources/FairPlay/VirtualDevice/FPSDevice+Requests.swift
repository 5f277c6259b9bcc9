import TextCoding

extension FPSDevice {
    /// The options of a request in addition to the certificate, the asset ID and the versions.
    public struct SPCOptions: Sendable {
        /// The playback session of the key; nil starts a new session.
        public var session: PlaybackSession?
        /// The playback state.
        public var playbackState: PlaybackState
        /// The output for the content; nil means the output of the profile.
        public var output: DeviceProfile.Output?
        /// Deliberate errors in the SPC.
        public var mutations: [SPCMutation]

        /// Creates options; the defaults are those of an ordinary first request.
        public init(
            session: PlaybackSession? = nil,
            playbackState: PlaybackState = .readyToStart,
            output: DeviceProfile.Output? = nil,
            mutations: [SPCMutation] = []
        ) {
            self.session = session
            self.playbackState = playbackState
            self.output = output
            self.mutations = mutations
        }
    }

    /// Creates an SPC. Nil means that an argument is missing; an empty value is an invalid argument.
    ///
    /// - Parameters:
    ///   - certificate: the application certificate in DER. The size of its key determines the SPC version.
    ///   - assetID: 2 to 200 bytes.
    ///   - versions: the FPS versions of the playlist (KEYFORMATVERSIONS). The device uses the newest version that it
    ///     supports.
    /// - Throws: ``FPSError/missingCertificate``, ``FPSError/missingAssetID``, ``FPSError/missingVersionList``,
    ///   ``FPSError/invalidCertificate``, ``FPSError/revokedCertificate``, ``FPSError/invalidAssetID``,
    ///   ``FPSError/invalidVersionList``, ``FPSError/spcCreationFailed``. If several errors apply, the first in this
    ///   order is thrown.
    public func makeSPC(
        certificate: [UInt8]?,
        assetID: [UInt8]?,
        versions: [UInt32]?,
        options: SPCOptions = SPCOptions()
    ) throws(FPSError) -> KeyRequest {
        let application = try checkedCertificate(certificate, assetID, versions)
        let origin = KeyOrigin(
            certificate: certificate ?? [],
            certificateHash: application.hash,
            assetID: assetID ?? [],
            versions: versions ?? [],
            output: options.output ?? profile.output,
            session: options.session ?? beginSession()
        )
        return try makeRequest(origin, application, state: options.playbackState, mutations: options.mutations)
    }

    /// Creates an SPC for a key in use, to renew its lease or to report that playback continues or has halted.
    ///
    /// - Parameter state: the playback state; by default state 3, which requests a new lease.
    /// - Throws: the errors of `makeSPC(certificate:assetID:versions:options:)`; unless `state` is
    ///   ``VirtualDevice/PlaybackState/halted``, also ``FPSError/leaseExpired``, ``FPSError/keyDiscarded`` and
    ///   ``FPSError/notPlaying``.
    public func makeSPC(
        renewing key: DeviceKey,
        state: PlaybackState = .leaseAboutToExpire,
        mutations: [SPCMutation] = []
    ) throws(FPSError) -> KeyRequest {
        let origin = key.origin
        guard !key.isPersistent else { throw .spcCreationFailed.because("a persistent key cannot be renewed") }
        if state != .halted { try key.checkPlaying() }
        let application = try checkedCertificate(origin.certificate, origin.assetID, origin.versions)
        return try makeRequest(origin, application, state: state, mutations: mutations, renewing: key)
    }

    /// Returns the bytes of an SPC that does not get a CKC: a Sync SPC.
    func makeSPC(_ origin: KeyOrigin, sync: DeviceSyncReport, mutations: [SPCMutation]) throws(FPSError) -> [UInt8] {
        let application = try checkedCertificate(origin.certificate, origin.assetID, origin.versions)
        return try build(origin, application, state: .readyToStart, sync: sync, mutations: mutations).spc
    }

    /// Checks the arguments of an SPC.
    func checkedCertificate(
        _ certificate: [UInt8]?,
        _ assetID: [UInt8]?,
        _ versions: [UInt32]?
    ) throws(FPSError) -> ApplicationCertificate {
        guard let certificate else { throw .missingCertificate }
        guard let assetID else { throw .missingAssetID }
        guard let versions else { throw .missingVersionList }
        let application = try ApplicationCertificate(der: certificate)
        guard profile.spcVersions.contains(application.spcVersion) else {
            throw .invalidCertificate.because("the device cannot create SPCs of version \(application.spcVersion)")
        }
        guard !withState({ $0.revokedCertificates.contains(application.hash) }) else { throw .revokedCertificate }
        guard (2...200).contains(assetID.count) else {
            throw .invalidAssetID.because("the asset ID has \(counted(assetID.count, "byte")), must be 2 to 200")
        }
        _ = try protocolVersion(of: versions)
        return application
    }

    /// Returns the newest version that both sides support.
    private func protocolVersion(of versions: [UInt32]) throws(FPSError) -> UInt32 {
        guard !versions.isEmpty, !versions.contains(0), Set(versions).count == versions.count else {
            throw .invalidVersionList
        }
        guard let newest = versions.filter(profile.protocolVersions.contains).max() else {
            throw .invalidVersionList.because("the device supports none of the versions \(versions)")
        }
        return newest
    }

    private func makeRequest(
        _ origin: KeyOrigin,
        _ application: ApplicationCertificate,
        state: PlaybackState,
        mutations: [SPCMutation],
        renewing: DeviceKey? = nil
    ) throws(FPSError) -> KeyRequest {
        let built = try build(origin, application, state: state, sync: .empty, mutations: mutations)
        let reader = StrictCKCReader(
            secrets: built.secrets,
            returned: built.returned,
            playbackState: built.playbackState,
            receiver: CKCReceiver(profile),
            isSyncSPC: built.isSyncSPC
        )
        return KeyRequest(built, origin: origin, deviceHU: hu(for: .local), reader: reader, renewing: renewing)
    }

    private func build(
        _ origin: KeyOrigin,
        _ application: ApplicationCertificate,
        state: PlaybackState,
        sync: DeviceSyncReport,
        mutations: [SPCMutation]
    ) throws(FPSError) -> SPCBuilder.Result {
        saveTimeIfPossible()
        let builder = SPCBuilder(
            profile: profile,
            certificate: application,
            assetID: origin.assetID,
            protocolVersion: try protocolVersion(of: origin.versions),
            output: origin.output,
            mediaPlaybackState: DevicePlaybackState(
                creationDate: UInt32(clamping: clock.now),
                state: state,
                session: origin.session
            ),
            sync: sync,
            hu: hu(for: origin.output),
            dask: dask,
            mutations: mutations
        )
        return try withState { state throws(FPSError) in try builder.build(using: &state.random) }
    }
}
