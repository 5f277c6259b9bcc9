// Recipients and the keys that they request.

extension KeySession {
    /// Adds a recipient. The session does not retain it.
    ///
    /// - Throws: ``ContentKeyError/Code/recipientAlreadyLoading`` if the recipient has started to load, or
    ///   ``ContentKeyError/Code/sessionExpired``.
    public func addContentKeyRecipient(_ recipient: any ContentKeyRecipient) throws(ContentKeyError) {
        guard recipients.id(of: recipient) == nil else { return }
        try applyOrThrow(.addRecipient(recipients.nextID, isLoading: recipient.hasBegunLoading))
        recipients.add(recipient)
    }

    /// Removes a recipient. Requests that only this recipient needs are cancelled; loaded keys are kept.
    public func removeContentKeyRecipient(_ recipient: any ContentKeyRecipient) {
        guard let id = recipients.id(of: recipient) else { return }
        recipients.remove(id)
        apply(.removeRecipient(id))
    }

    /// The recipients of the session.
    public var contentKeyRecipients: [any ContentKeyRecipient] { recipients.all }

    /// Returns the key that a recipient needs now: a loaded key at once, otherwise after its request is answered. On
    /// routes other than ``ContentKeyRoute/local``, each call makes a request unless one is in progress.
    ///
    /// - Throws: ``ContentKeyError/Code/unknownRecipient`` for a recipient that was not added; the error of the
    ///   request; ``ContentKeyError/Code/cancelled`` if the task is cancelled.
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
                    .requestKeyForRecipient(
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

/// Recipients by ID, as weak references.
struct RecipientTable {
    private struct Entry { weak var recipient: (any ContentKeyRecipient)? }

    private var entries: [UInt64: Entry] = [:]
    /// The ID of the next recipient, from 1.
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
