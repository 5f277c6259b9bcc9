// Those who play, and the keys that they get.

extension KeySession {
    /// Adds what needs keys. It is not kept alive.
    ///
    /// - Throws: ``ContentKeyError/Code/recipientTooLate`` if it has begun to load,
    ///   ``ContentKeyError/Code/sessionExpired``.
    public func addContentKeyRecipient(_ recipient: any ContentKeyRecipient) throws(ContentKeyError) {
        guard recipients.id(of: recipient) == nil else { return }
        try permit(.addRecipient(recipients.nextID, isLoading: recipient.hasBegunLoading))
        recipients.add(recipient)
    }

    /// Removes what needed keys. Requests that nobody else wants are cancelled; keys that are loaded stay.
    public func removeContentKeyRecipient(_ recipient: any ContentKeyRecipient) {
        guard let id = recipients.id(of: recipient) else { return }
        recipients.remove(id)
        apply(.removeRecipient(id))
    }

    /// Those that were added.
    public var contentKeyRecipients: [any ContentKeyRecipient] { recipients.all }

    /// The key that a recipient needs now: a loaded one at once, otherwise when the request for it was answered. On
    /// other routes than ``ContentKeyRoute/local`` each call makes a request, unless one is under way.
    ///
    /// - Throws: ``ContentKeyError/Code/unknownRecipient`` for one that was not added; why there is no key;
    ///   ``ContentKeyError/Code/cancelled`` when the task is cancelled.
    public func contentKey(
        identifier: String,
        initializationData: [UInt8]? = nil,
        options: ContentKeyRequestOptions = ContentKeyRequestOptions(),
        for recipient: any ContentKeyRecipient
    ) async throws(ContentKeyError) -> ContentKey {
        let id = recipients.id(of: recipient) ?? 0
        lastWaiter += 1
        let waiter = lastWaiter
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiters[waiter] = continuation
                apply(
                    .want(
                        identifier: identifier,
                        initializationData: initializationData,
                        options: options,
                        recipient: id,
                        waiter: waiter
                    )
                )
            }
        } onCancel: {
            Task { await self.abandon(waiter) }
        }
        return try result.get()
    }

    private func abandon(_ waiter: UInt64) { apply(.abandon(waiter)) }
}

/// Recipients by number. It keeps none alive; those that are gone are none.
struct RecipientTable {
    private struct Entry { weak var recipient: (any ContentKeyRecipient)? }

    private var entries: [UInt64: Entry] = [:]
    /// The number of the next one, from 1.
    private(set) var nextID: UInt64 = 1

    subscript(id: UInt64) -> (any ContentKeyRecipient)? { entries[id]?.recipient }

    var all: [any ContentKeyRecipient] { entries.sorted { $0.key < $1.key }.compactMap(\.value.recipient) }

    func id(of recipient: any ContentKeyRecipient) -> UInt64? {
        entries.first { $0.value.recipient === recipient }?.key
    }

    mutating func add(_ recipient: any ContentKeyRecipient) {
        entries = entries.filter { $0.value.recipient != nil }
        entries[nextID] = Entry(recipient: recipient)
        nextID += 1
    }

    mutating func remove(_ id: UInt64) { entries[id] = nil }
}
