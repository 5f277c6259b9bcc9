package import KeyStore

/// Imports keys from a file to a store. At first everything is checked against the rules and the stored records; if
/// there is any error, nothing is written. Then the keys are written in batches, each of them in one transaction.
///
/// An interrupted import can be repeated with ``Options/resumes``, which skips the keys that were imported before.
package struct KeyImport: Sendable {
    /// The options for existing keys.
    package struct Options: Sendable {
        /// True if existing keys that are equal are skipped.
        package var resumes: Bool
        /// True if existing keys, titles and tracks are replaced.
        package var replaces: Bool

        /// Creates options.
        package init(resumes: Bool = false, replaces: Bool = false) {
            self.resumes = resumes
            self.replaces = replaces
        }
    }

    /// The changes that an import would make.
    package struct Summary: Sendable, Equatable {
        /// The number of keys that do not exist yet.
        package var new = 0
        /// The number of keys that exist and are equal.
        package var same = 0
        /// The number of keys that would replace others.
        package var replaced = 0
        /// The number of titles that do not exist yet.
        package var newTitles = 0
        /// The number of tracks that do not exist yet.
        package var newTracks = 0
        /// The number of titles and tracks that would change.
        package var changed = 0
        /// The errors in the file, in the order of the lines. If there are any, nothing is written.
        package var mistakes: [KeyFileError] = []
    }

    /// The maximum number of keys per transaction.
    package static let batchSize = 500

    /// The changes that the import would make.
    package let summary: Summary
    private let batches: [ContentBatch]

    /// Checks rows against the rules and the store.
    ///
    /// - Parameters:
    ///   - rows: The keys.
    ///   - mistakes: The errors that were found when the file was parsed.
    ///   - time: The time, in Unix seconds.
    /// - Throws: `KeyStoreError` if the store fails.
    package init(
        rows: [KeyRow],
        mistakes: [KeyFileError] = [],
        into store: any KeyServerStore,
        options: Options,
        time: Int64
    ) async throws {
        var plan = KeyImportPlan(store: store, options: options, time: time, mistakes: mistakes)
        try await plan.add(rows)
        plan.summary.mistakes.sort { $0.line < $1.line }
        summary = plan.summary
        batches = plan.batches
    }

    /// Writes the keys.
    ///
    /// - Parameter progress: Called after each batch with the number of written keys.
    /// - Throws: `KeyStoreError`; `conflict` also if one of the keys has been stored by another client in the meantime.
    package func write(into store: any KeyServerStore, progress: (Int) -> Void = { _ in }) async throws {
        guard summary.mistakes.isEmpty else {
            throw KeyStoreError(.invalidRecord, place: "import", reason: "the file has errors")
        }
        var count = 0
        for batch in batches {
            try await store.put(batch, replacing: summary.replaced + summary.changed > 0)
            count += batch.contents.count
            progress(count)
        }
    }
}
