public import KeyStore

/// Brings keys from a file into a store: first everything is held against the rules and against what is there, and
/// nothing is written unless all of it is right; then it is written in batches, each of them whole or not at all.
///
/// Cut off in between, it is done again with ``Options/resumes``: what is there already is passed over.
public struct KeyImport: Sendable {
    /// What to do with keys that are there.
    public struct Options: Sendable {
        /// Pass over keys that are there and equal.
        public var resumes: Bool
        /// Put keys, titles and tracks in the place of others that are there.
        public var replaces: Bool

        /// Makes options.
        public init(resumes: Bool = false, replaces: Bool = false) {
            self.resumes = resumes
            self.replaces = replaces
        }
    }

    /// What would be done.
    public struct Summary: Sendable, Equatable {
        /// Keys that are not there.
        public var new = 0
        /// Keys that are there and equal.
        public var same = 0
        /// Keys that would take the place of others.
        public var replaced = 0
        /// Titles that are not there.
        public var newTitles = 0
        /// Tracks that are not there.
        public var newTracks = 0
        /// Titles and tracks that would change.
        public var changed = 0
        /// What is wrong, in the order of the lines. With one mistake nothing is written.
        public var mistakes: [KeyFileMistake] = []
    }

    /// How many keys one transaction writes.
    public static let batchSize = 500

    /// What would be done.
    public let summary: Summary
    private let batches: [ContentBatch]

    /// Holds rows against the rules and the store.
    ///
    /// - Parameters:
    ///   - rows: The keys.
    ///   - mistakes: What was wrong already when the file was read.
    ///   - time: The time, in Unix seconds.
    /// - Throws: `KeyStoreError` when the store fails.
    public init(
        rows: [KeyRow],
        mistakes: [KeyFileMistake] = [],
        into store: any KeyStore,
        options: Options,
        time: Int64
    ) async throws {
        var plan = KeyImportPlan(store: store, options: options, time: time, mistakes: mistakes)
        try await plan.take(rows)
        plan.summary.mistakes.sort { $0.line < $1.line }
        summary = plan.summary
        batches = plan.batches
    }

    /// Writes.
    ///
    /// - Parameter progress: Takes the number of keys that are written, after each batch.
    /// - Throws: `KeyStoreError`; `conflict` also when somebody else has stored one of the keys meanwhile.
    public func write(into store: any KeyStore, progress: (Int) -> Void = { _ in }) async throws {
        guard summary.mistakes.isEmpty else {
            throw KeyStoreError(.invalidRecord, place: "import", reason: "the file has mistakes")
        }
        var count = 0
        for batch in batches {
            try await store.put(batch, replacing: summary.replaced + summary.changed > 0)
            count += batch.contents.count
            progress(count)
        }
    }
}
