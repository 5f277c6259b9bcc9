/// A deliberate error: a change to an SPC before encryption, to test the reaction of a server. Several mutations are
/// applied in order.
public struct SPCMutation: Sendable {
    let apply: @Sendable (inout SPCDraft) -> Void

    /// Creates a mutation from any change.
    public init(_ apply: @escaping @Sendable (inout SPCDraft) -> Void) { self.apply = apply }
}

extension SPCMutation {
    // MARK: The container

    /// Sets the SPC version in the header; the RSA block is unchanged.
    public static func spcVersion(_ version: UInt32) -> SPCMutation { SPCMutation { $0.version = version } }

    /// A wrong certificate hash.
    public static let wrongCertificateHash = SPCMutation { draft in
        draft.certificateHash = draft.certificateHash.map { ~$0 }
    }

    /// Sets the payload length field.
    public static func payloadLength(_ length: UInt32) -> SPCMutation { SPCMutation { $0.payloadLength = length } }

    /// Appends bytes after the payload.
    public static func trailing(_ bytes: [UInt8]) -> SPCMutation { SPCMutation { $0.trailingBytes = bytes } }

    // MARK: Any block

    /// Removes a block.
    public static func omitting(_ tag: SPCDraft.Tag) -> SPCMutation { SPCMutation { $0[tag] = nil } }

    /// Sets the value of a block, padded to a multiple of 16, or adds the block.
    public static func value(_ tag: SPCDraft.Tag, _ value: [UInt8]) -> SPCMutation {
        SPCMutation { $0[tag] = .padded(tag, value) }
    }

    /// Appends a block to the payload, even if there is a block with the same tag.
    public static func adding(_ tag: SPCDraft.Tag, _ value: [UInt8]) -> SPCMutation {
        SPCMutation { $0.blocks.append(.padded(tag, value)) }
    }

    /// Duplicates a block.
    public static func duplicating(_ tag: SPCDraft.Tag) -> SPCMutation {
        SPCMutation { draft in
            if let block = draft[tag] { draft.blocks.append(block) }
        }
    }

    /// Sets the padding of a block to `count` bytes of `byte`. A payload whose size is not a multiple of 16 cannot be
    /// encrypted.
    public static func padding(_ tag: SPCDraft.Tag, count: Int, of byte: UInt8 = 0xa5) -> SPCMutation {
        SPCMutation { $0[tag]?.padding = [UInt8](repeating: byte, count: max(count, 0)) }
    }

    /// Sets the block length field of a block.
    public static func blockLength(_ tag: SPCDraft.Tag, _ length: UInt32) -> SPCMutation {
        SPCMutation { $0[tag]?.blockLength = length }
    }

    /// Sets the value length field of a block.
    public static func valueLength(_ tag: SPCDraft.Tag, _ length: UInt32) -> SPCMutation {
        SPCMutation { $0[tag]?.valueLength = length }
    }

    // MARK: Specific blocks

    /// Integrity bytes that differ from those in [SK...R1].
    public static let wrongIntegrity = SPCMutation { draft in
        guard var block = draft[.integrity] else { return }
        block.value = block.value.map { ~$0 }
        draft[.integrity] = block
    }

    /// Sets the protocol versions, for example as in Table 2-9, where `used` is not the newest of `supported`.
    public static func protocolVersions(used: UInt32, supported: [UInt32]) -> SPCMutation {
        SPCMutation { draft in
            draft[.protocolVersionUsed] = .padded(.protocolVersionUsed, bigEndian(used))
            draft[.protocolVersionsSupported] = .padded(.protocolVersionsSupported, supported.flatMap { bigEndian($0) })
        }
    }

    /// Version 1 is in use, although the device supports 1 and 2.
    public static let protocolDowngrade = protocolVersions(used: 1, supported: [1, 2])

    /// Sets the tag return request to exactly these tags, which can be absent or duplicate.
    public static func requestingReturn(of tags: [SPCDraft.Tag]) -> SPCMutation {
        value(.tagReturnRequest, tags.flatMap { bigEndian($0.rawValue) })
    }

    /// Sets the streaming indicator to any number.
    package static func streamingIndicator(_ number: UInt64) -> SPCMutation {
        value(.streamingIndicator, bigEndian(number))
    }

    /// Sets the Sync block, or adds it.
    package static func sync(_ report: DeviceSyncReport) -> SPCMutation { value(.sync, report.bytes) }

    /// Adds an absent tag to the tag return request.
    public static let requestingAbsentTag = SPCMutation { draft in
        let request = draft[.tagReturnRequest]?.value ?? []
        draft[.tagReturnRequest] = .padded(.tagReturnRequest, request + bigEndian(UInt64(0x0123_4567_89ab_cdef)))
    }

    /// Sets the creation date in the Media Playback State block, in seconds since 1970.
    public static func createdAt(_ seconds: UInt32) -> SPCMutation {
        overwriting(.mediaPlaybackState, at: 0, with: seconds)
    }

    /// Sets the playback state to any number.
    public static func playbackState(_ state: UInt32) -> SPCMutation {
        overwriting(.mediaPlaybackState, at: 4, with: state)
    }

    /// Sets the version of the VM Device Information block.
    public static func vmInformationVersion(_ version: UInt32) -> SPCMutation {
        overwriting(.vmDeviceInformation, at: 0, with: version)
    }

    /// Overwrites 4 bytes of a value with a number, if the block exists and is long enough.
    private static func overwriting(_ tag: SPCDraft.Tag, at offset: Int, with number: UInt32) -> SPCMutation {
        SPCMutation { draft in
            guard var block = draft[tag], block.value.count >= offset + 4 else { return }
            block.value.replaceSubrange(offset..<offset + 4, with: bigEndian(number))
            draft[tag] = block
        }
    }
}

extension SPCDraft.Block {
    /// Returns a block with the minimum padding. The padding is fixed, so that mutations do not consume random numbers.
    static func padded(_ tag: SPCDraft.Tag, _ value: [UInt8]) -> SPCDraft.Block {
        SPCDraft.Block(tag, value: value, padding: [UInt8](repeating: 0xa5, count: (16 - value.count % 16) % 16))
    }
}
