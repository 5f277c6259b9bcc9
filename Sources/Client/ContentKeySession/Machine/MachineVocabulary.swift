extension KeySessionMachine {
    /// What governs a machine.
    public struct Configuration: Sendable, Equatable {
        /// How keys are delivered.
        public var keySystem: ContentKeySystem
        /// Whether the device can keep keys at all.
        public var keepsPersistableKeys: Bool
        /// How long a request may wait for an answer; nil for ever.
        public var responseTimeout: Duration?
        /// How long before the end of a lease a request for its renewal is made, at most half of the lease; nil never.
        public var renewalLead: Duration?

        /// Makes a configuration.
        public init(
            keySystem: ContentKeySystem = .fairPlayStreaming,
            keepsPersistableKeys: Bool = true,
            responseTimeout: Duration? = nil,
            renewalLead: Duration? = nil
        ) {
            (self.keySystem, self.keepsPersistableKeys) = (keySystem, keepsPersistableKeys)
            (self.responseTimeout, self.renewalLead) = (responseTimeout, renewalLead)
        }
    }

    /// A recipient, by a number of its own.
    public typealias RecipientID = UInt64
    /// Somebody who waits for a key, by a number of its own.
    public typealias WaiterID = UInt64

    /// What happens to a session.
    public enum Event: Sendable, Equatable {
        /// The app asks for a key.
        case ask(identifier: String, initializationData: [UInt8]?, options: ContentKeyRequestOptions)
        /// A recipient asks for a key, because it needs one now, and waits for it.
        case want(
            identifier: String,
            initializationData: [UInt8]?,
            options: ContentKeyRequestOptions,
            recipient: RecipientID,
            waiter: WaiterID
        )
        /// Who waited does so no longer.
        case abandon(WaiterID)
        /// A recipient comes. `isLoading`: it has begun to load already.
        case addRecipient(RecipientID, isLoading: Bool)
        /// A recipient goes.
        case removeRecipient(RecipientID)
        /// The app wants a lease renewed.
        case renew(identifier: String)
        /// The content goes elsewhere from now on.
        case changeRoute(ContentKeyRoute)
        /// Something happens to a request.
        case request(UInt64, RequestEvent)
        /// The device no longer has the key that this request's answer brought.
        case revoke(UInt64)
        /// Time has passed.
        case timePassed
        /// The session ends.
        case expire
    }

    /// A request, as it is made.
    public struct Request: Sendable, Equatable {
        /// Unique within a session, ascending from 1.
        public let id: UInt64
        /// The key that it is for.
        public let name: KeyName
        /// What the container says of the key.
        public let initializationData: [UInt8]?
        /// What was said when the key was asked for.
        public let options: ContentKeyRequestOptions
        /// Whether it renews a key in use.
        public let isRenewal: Bool
        /// Whether its answer may be a persistable key, and one was asked for.
        public let canProvidePersistableKey: Bool
    }

    /// Why a key was stopped.
    public enum StopCause: String, Sendable, Hashable {
        /// Its lease ran out.
        case leaseExpired
        /// It was invalidated.
        case revoked
        /// The session ended.
        case sessionExpired
    }

    /// What is to be done. The order of actions is the order of doing.
    public enum Action: Sendable, Equatable {
        /// Hand this request to the app.
        case provide(Request)
        /// Tell who answers that somebody waits from now on for this request, which nobody waited for before.
        case tellAwaited(UInt64)
        /// Tell the app that this request is one for a persistable key now.
        case providePersistable(UInt64)
        /// Let the device do what the app asked of this request.
        case allow(UInt64, RequestEvent.Kind)
        /// Tell who asked that it cannot be.
        case refuse(ContentKeyError)
        /// This is where the request stands now.
        case setStatus(UInt64, ContentKeyRequestStatus)
        /// Ask the delegate whether to make another request.
        case askToRetry(UInt64, ContentKeyRetryReason)
        /// Tell the app that the request had success.
        case succeed(UInt64)
        /// Tell the app that the request failed.
        case fail(UInt64, ContentKeyError)
        /// The key of this request is the one to use now. Tell these recipients.
        case useKey(KeyName, request: UInt64, recipients: [RecipientID])
        /// Give who waits the key.
        case deliver(WaiterID, KeyName)
        /// Give who waits the error.
        case failWaiter(WaiterID, ContentKeyError)
        /// Stop the key that this request brought.
        case stopKey(KeyName, request: UInt64, StopCause)
        /// Stop the key that the device has just made for this request, which is over.
        case releaseKey(request: UInt64)
        /// Report the end of these keys, which were in use when the session ended.
        case reportExpiry([KeyName])
    }
}
