package import KeyStore

/// Brings keys from a file into a store: first everything is held against the rules and against what is there, and
/// nothing is written unless all of it is right; then it is written in batches, each of them whole or not at all.
///
/// Cut off in between, it is done again with ``Options/resumes``: what is there already is passed over.
package struct KeyImport: Sendable {
    /// What to do with keys that are there.
    package struct Options: Sendable {
        /// Pass over keys that are there and equal.
        package var resumes: Bool
        /// Put keys, titles and tracks in the place of others that are there.
        package var replaces: Bool

        /// Makes options.
        package init(resumes: Bool = false, replaces: Bool = false) {
            self.resumes = resumes
            self.replaces = replaces
        }
    }

    /// What would be done.
    package struct Summary: Sendable, Equatable {
        /// Keys that are not there.
        package var new = 0
        /// Keys that are there and equal.
        package var same = 0
        /// Keys that would take the place of others.
        package var replaced = 0
        /// Titles that are not there.
        package var newTitles = 0
        /// Tracks that are not there.
        package var newTracks = 0
        /// Titles and tracks that would change.
        package var changed = 0
        /// What is wrong, in the order of the lines. With one mistake nothing is written.
        package var mistakes: [KeyFileMistake] = []
    }

    /// How many keys one transaction writes.
    package static let batchSize = 500

    /// What would be done.
    package let summary: Summary
    private let batches: [ContentBatch]

    /// Holds rows against the rules and the store.
    ///
    /// - Parameters:
    ///   - rows: The keys.
    ///   - mistakes: What was wrong already when the file was read.
    ///   - time: The time, in Unix seconds.
    /// - Throws: `KeyStoreError` when the store fails.
    package init(
        rows: [KeyRow],
        mistakes: [KeyFileMistake] = [],
        into store: any KeyServerStore,
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
    package func write(into store: any KeyServerStore, progress: (Int) -> Void = { _ in }) async throws {
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
