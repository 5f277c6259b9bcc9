/// The keys of deleted titles that are to be returned to the server.
extension OfflineKeyStore {
    private static let returnSuffix = ".return"

    /// Stores the FairPlay keys of a title to be returned later, under a new name, because a title can be deleted again
    /// before its keys are returned.
    ///
    /// - Returns: The number of keys.
    @discardableResult
    func deferReturn(of title: OfflineTitle) throws(OfflineStorageError) -> Int {
        var rest = OfflineTitle(title: title.title)
        rest.server = title.server
        rest.keys = title.keys.filter { $0.value.kind == .fairPlay && $0.value.bytes != nil }
        guard !rest.keys.isEmpty else { return 0 }
        // Random names do not collide, and do not reveal the title.
        try file("\(UInt64.random(in: 0 ... .max))\(Self.returnSuffix)").write(rest.bytes)
        return rest.keys.count
    }

    /// Returns the deleted titles whose keys have not been returned, by file name. Files that cannot be read are omitted:
    /// their keys cannot be returned.
    func pendingReturns() throws(OfflineStorageError) -> [(name: String, title: OfflineTitle)] {
        var pending: [(name: String, title: OfflineTitle)] = []
        for name in try DurableFile.names(in: folder) where name.hasSuffix(Self.returnSuffix) {
            if let title = try? read(name) { pending.append((name, title)) }
        }
        return pending
    }

    /// The number of deleted titles whose keys have not been returned.
    public var pendingReturnCount: Int {
        (try? DurableFile.names(in: folder).count { $0.hasSuffix(Self.returnSuffix) }) ?? 0
    }

    /// Removes a title whose keys have been returned.
    func removeReturn(_ name: String) throws(OfflineStorageError) { try DurableFile.remove(path(name)) }
}
