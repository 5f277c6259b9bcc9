extension KeySessionMachine {
    /// The configuration of a session.
    package struct Configuration: Sendable, Equatable {
        /// The method of key delivery.
        package var keySystem: ContentKeySystem
        /// True if the device supports persistent keys.
        package var supportsPersistableKeys: Bool
        /// The timeout for the response to a request; nil means no timeout.
        package var responseTimeout: Duration?
        /// The time before the end of a lease at which its renewal is requested, at most half of the lease; nil means
        /// that the session does not request it.
        package var renewalLead: Duration?

        /// Creates a configuration.
        package init(
            keySystem: ContentKeySystem = .fairPlayStreaming,
            supportsPersistableKeys: Bool = true,
            responseTimeout: Duration? = nil,
            renewalLead: Duration? = nil
        ) {
            (self.keySystem, self.supportsPersistableKeys) = (keySystem, supportsPersistableKeys)
            (self.responseTimeout, self.renewalLead) = (responseTimeout, renewalLead)
        }
    }

    /// The ID of a recipient.
    package typealias RecipientID = UInt64
    /// The ID of a waiter: one call that waits for a key.
    package typealias WaiterID = UInt64

    /// An event of a session.
    package enum Event: Sendable, Equatable {
        /// The app requests a key.
        case requestKey(identifier: String, initializationData: [UInt8]?, options: ContentKeyRequestOptions)
        /// A recipient requests a key that it needs now, and waits for it.
        case requestKeyForRecipient(
            identifier: String,
            initializationData: [UInt8]?,
            options: ContentKeyRequestOptions,
            recipient: RecipientID,
            waiter: WaiterID
        )
        /// A waiter stops waiting.
        case abandon(WaiterID)
        /// A recipient is added. `isLoading`: whether it has already started to load.
        case addRecipient(RecipientID, isLoading: Bool)
        /// A recipient is removed.
        case removeRecipient(RecipientID)
        /// The app requests the renewal of a lease.
        case renew(identifier: String)
        /// The output route of the content changes.
        case changeRoute(ContentKeyRoute)
        /// An event of a request.
        case request(UInt64, RequestEvent)
        /// The device no longer has the key that this request provided.
        case revoke(UInt64)
        /// Time has passed.
        case timePassed
        /// The session ends.
        case expire
    }

    /// A key request.
    package struct Request: Sendable, Equatable {
        /// An ID that is unique within a session and ascends from 1.
        package let id: UInt64
        /// The key that it is for.
        package let name: KeyName
        /// The container's data about the key.
        package let initializationData: [UInt8]?
        /// The options of the key request.
        package let options: ContentKeyRequestOptions
        /// True if the request renews a key in use.
        package let isRenewal: Bool
        /// True if a persistable key was requested and this request can provide one.
        package let requestsPersistableKey: Bool
    }

    /// An action to perform. Actions are performed in order.
    package enum Action: Sendable, Equatable {
        /// Passes the request to the app.
        case provide(Request)
        /// Notifies the key loader that the key of this request is needed now; no waiter waited for it before.
        case notifyAwaited(UInt64)
        /// Notifies the app that this request is now one for a persistable key.
        case providePersistable(UInt64)
        /// Allows the operation that the app requested, to be performed by the device.
        case allow(UInt64, RequestEvent.Kind)
        /// Throws this error to the caller.
        case refuse(ContentKeyError)
        /// Sets the status of the request.
        case setStatus(UInt64, ContentKeyRequestStatus)
        /// Calls the delegate to decide whether to retry.
        case requestRetryDecision(UInt64, ContentKeyRetryReason)
        /// Notifies the app that the request succeeded.
        case succeed(UInt64)
        /// Notifies the app that the request failed.
        case fail(UInt64, ContentKeyError)
        /// Makes the key of this request the key in use, and notifies these recipients.
        case useKey(KeyName, request: UInt64, recipients: [RecipientID])
        /// Returns the key to the waiter.
        case deliver(WaiterID, KeyName)
        /// Throws the error to the waiter.
        case failWaiter(WaiterID, ContentKeyError)
        /// Stops the key that this request provided.
        case stopKey(KeyName, request: UInt64, ContentKeyStopCause)
        /// Stops the key that the device has just created for this request, which has already ended.
        case releaseKey(request: UInt64)
        /// Reports the end of these keys, which were in use when the session ended.
        case reportExpiry([KeyName])
    }
}
