extension StreamValidator {
    /// Requests the keys of a presentation, and tries them on each encrypted segment that was measured.
    ///
    /// The segments are loaded a second time, unless they are kept, because keys can be tried only when all of them are
    /// known. A segment that is encrypted as a whole is measured then.
    func decrypt(_ presentation: inout MeasuredPresentation) async {
        guard let keySource else { return }
        let keys = await PresentationKeys(keySource, presentation).requested(concurrency: settings.concurrency)
        presentation.keys = keys
        let decryption = RenditionDecryption(validator: self, source: keySource, keys: keys)
        let renditions = presentation.renditions
        var result = renditions
        await withTaskGroup(of: (Int, MeasuredRendition).self) { group in
            var waiting = renditions.enumerated().makeIterator()
            func start() {
                guard let (index, rendition) = waiting.next() else { return }
                group.addTask { (index, await decryption.measured(rendition)) }
            }
            for _ in 0..<max(1, settings.concurrency) { start() }
            while let (index, rendition) = await group.next() {
                result[index] = rendition
                start()
            }
        }
        presentation.renditions = result
        presentation.shareVectorVerdicts()
    }
}

extension MeasuredPresentation {
    /// Changes the verdict of tracks that a key does not open, if the same key is right except for the initialization vector:
    /// by the ends of the frames of all segments, or by another track. A decoder cannot tell the two apart.
    fileprivate mutating func shareVectorVerdicts() {
        var ends: [MeasuredKey.ID: FrameTests.Ends] = [:]
        var keys: Set<MeasuredKey.ID> = []
        for found in renditions.lazy.flatMap(\.segments).flatMap(\.decryptions) {
            if found.verdict == .wrongIV { keys.insert(found.key) }
            guard found.verdict == .wrongKey else { continue }
            ends[found.key, default: .init()].count += found.ends.count
            ends[found.key, default: .init()].passed += found.ends.passed
        }
        keys.formUnion(ends.filter { $0.value.prove }.keys)
        guard !keys.isEmpty else { return }
        for rendition in renditions.indices {
            for segment in renditions[rendition].segments.indices {
                for index in renditions[rendition].segments[segment].decryptions.indices {
                    let found = renditions[rendition].segments[segment].decryptions[index]
                    guard found.verdict == .wrongKey, found.opensWith == nil, keys.contains(found.key),
                        found.evidence == FrameTests.decoding, found.ends.passed == found.ends.count
                    else { continue }
                    renditions[rendition].segments[segment].decryptions[index].verdict = .wrongIV
                }
            }
        }
    }
}
