// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The session: reference, section 1.1.

public import Dispatch
public import Foundation
import Locking

@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
open class AVContentKeySession: NSObject {
    public let keySystem: AVContentKeySystem
    public let storageURL: URL?
    let system = AppleSystem.current
    let state = Lock(KeySessionState())
    /// The queue of a session without a delegate.
    private let ownQueue = DispatchQueue(label: "AVContentKeySession")

    private init(_ keySystem: AVContentKeySystem, _ storageURL: URL?) {
        (self.keySystem, self.storageURL) = (keySystem, storageURL)
        super.init()
        // Rules 1 and 2. Whether a FairPlay session raises in the Simulator is unknown.
        if keySystem == .fairPlayStreaming, system.device == nil || system.switches.isSimulator {
            state.withLock { $0.phase = .ended }
            system.raise(.invalidArgument, "the key system is not supported here")
        }
        let session = Weak(self)
        system.processLife.atEnd { (session.object as? AVContentKeySession)?.endWithProcess() }
    }

    deinit {
        // Rule 8: a released session makes no more calls. Rule 79: it ends without expire().
        fileReport(isAbnormal: true)
        for waiters in state.withLock({ Array($0.waiters.values) }) {
            for waiter in waiters {
                system.deliver(on: ownQueue) { waiter.completion(.failure(KeyError.avFoundation(KeyError.unknown))) }
            }
        }
    }

    @available(iOS 11, macOS 10.13, tvOS 11, visionOS 1, *)
    public convenience init(keySystem: AVContentKeySystem) { self.init(keySystem, nil) }
    public convenience init(keySystem: AVContentKeySystem, storageDirectoryAt storageURL: URL) {
        self.init(keySystem, storageURL)
    }

    // MARK: The delegate

    // Rule 5: the session does not keep its delegate.
    open var delegate: (any AVContentKeySessionDelegate)? {
        state.withLock { $0.delegate }.object as? any AVContentKeySessionDelegate
    }
    open var delegateQueue: dispatch_queue_t? { state.withLock { $0.queue } }

    open func setDelegate(_ delegate: (any AVContentKeySessionDelegate)?, queue delegateQueue: dispatch_queue_t?) {
        // Rule 4.
        guard delegate == nil || delegateQueue != nil else {
            return system.raise(.invalidArgument, "a delegate needs a queue")
        }
        let weak = Weak(delegate)
        state.withLock { state in
            (state.delegate, state.queue, state.missing) = (weak, delegateQueue, [])
        }
    }

    /// Notes that the delegate does not implement a method.
    func note(missing method: OptionalMethod) { state.withLock { _ = $0.missing.insert(method) } }

    /// True until the session expires or its process ends.
    var isActive: Bool { state.withLock { $0.phase == .active } }

    /// Runs work of the session later, on the queue of its delegate (rule 6), unless it was released (rule 8).
    func perform(_ work: @escaping (AVContentKeySession) -> Void) {
        let box = Unchecked((session: Weak(self), work: work))
        system.deliver(on: delegateQueue ?? ownQueue) {
            guard let session = box.value.session.object as? AVContentKeySession,
                session.state.withLock({ $0.phase != .ended })
            else { return }
            box.value.work(session)
        }
    }

    /// Calls the delegate later on its queue; does nothing without a delegate (rules 5 and 7).
    func tell(_ call: @escaping (AVContentKeySession, any AVContentKeySessionDelegate) -> Void) {
        perform { session in
            if let delegate = session.delegate { call(session, delegate) }
        }
    }

    // MARK: Requests

    open func processContentKeyRequest(
        withIdentifier identifier: _ContentKeyValue?,
        initializationData: Data?,
        options: [String: _ContentKeyValue]? = nil
    ) {
        requestKeys(identifier: identifier, initializationData: initializationData, options: options ?? [:])
    }

    open func renewExpiringResponseData(for contentKeyRequest: AVContentKeyRequest) { renew(contentKeyRequest) }

    // Rule 70: the switch goes on once and never off.
    @available(iOS 27, tvOS 27, *)
    @available(macOS, unavailable)
    @available(visionOS, unavailable)
    @available(macCatalyst, unavailable)
    open var supportsAdvisoryKeys: Bool {
        get { state.withLock { $0.supportsAdvisoryKeys } }
        set { if newValue { state.withLock { $0.supportsAdvisoryKeys = true } } }
    }

    // Rule 10.
    open var contentProtectionSessionIdentifier: Data? {
        playbackSessionName(state.withLock { $0.playbackSession }).map { Data($0.utf8) }
    }

    // MARK: Recipients

    open func addContentKeyRecipient(_ recipient: any AVContentKeyRecipient) { add(recipient) }
    open func removeContentKeyRecipient(_ recipient: any AVContentKeyRecipient) { remove(recipient) }
    // Whether a session keeps its recipients is unknown; here it does not, so the app has to.
    open var contentKeyRecipients: [any AVContentKeyRecipient] {
        state.withLock { $0.recipients }.compactMap { $0.object as? any AVContentKeyRecipient }
    }
    open func expire() { expireNow() }
}

#if !SDK_26
@available(iOS 10.3, macOS 10.12.4, tvOS 10.2, visionOS 1, *)
extension AVContentKeySession: @unchecked Sendable {}
#endif
