/// A mistake on purpose: a change to an SPC before it is encrypted, to see what a server makes of it. Several are
/// applied one after the other.
public struct SPCMutation: Sendable {
    let apply: @Sendable (inout SPCDraft) -> Void

    /// Makes a mutation from any change.
    public init(_ apply: @escaping @Sendable (inout SPCDraft) -> Void) { self.apply = apply }
}

extension SPCMutation {
    // MARK: The container

    /// Another SPC version in the header; the RSA block stays as it is.
    public static func spcVersion(_ version: UInt32) -> SPCMutation { SPCMutation { $0.version = version } }

    /// A certificate hash that is another certificate's.
    public static let wrongCertificateHash = SPCMutation { draft in
        draft.certificateHash = draft.certificateHash.map { ~$0 }
    }

    /// A payload length that is not the true one.
    public static func payloadLength(_ length: UInt32) -> SPCMutation { SPCMutation { $0.payloadLength = length } }

    /// Bytes behind the payload.
    public static func trailing(_ bytes: [UInt8]) -> SPCMutation { SPCMutation { $0.trailingBytes = bytes } }

    // MARK: Any block

    /// Leaves out a block.
    public static func omitting(_ tag: SPCDraft.Tag) -> SPCMutation { SPCMutation { $0[tag] = nil } }

    /// Gives a block another value, padded to a multiple of 16, or adds the block.
    public static func value(_ tag: SPCDraft.Tag, _ value: [UInt8]) -> SPCMutation {
        SPCMutation { $0[tag] = .padded(tag, value) }
    }

    /// Adds a block at the end of the payload, even if there is one with its tag.
    public static func adding(_ tag: SPCDraft.Tag, _ value: [UInt8]) -> SPCMutation {
        SPCMutation { $0.blocks.append(.padded(tag, value)) }
    }

    /// Sends a block twice.
    public static func duplicating(_ tag: SPCDraft.Tag) -> SPCMutation {
        SPCMutation { draft in
            if let block = draft[tag] { draft.blocks.append(block) }
        }
    }

    /// Pads a block with `count` bytes of `byte`. A payload that is no multiple of 16 then cannot be encrypted.
    public static func padding(_ tag: SPCDraft.Tag, count: Int, of byte: UInt8 = 0xa5) -> SPCMutation {
        SPCMutation { $0[tag]?.padding = [UInt8](repeating: byte, count: max(count, 0)) }
    }

    /// A block length that is not the true one.
    public static func blockLength(_ tag: SPCDraft.Tag, _ length: UInt32) -> SPCMutation {
        SPCMutation { $0[tag]?.blockLength = length }
    }

    /// A value length that is not the true one.
    public static func valueLength(_ tag: SPCDraft.Tag, _ length: UInt32) -> SPCMutation {
        SPCMutation { $0[tag]?.valueLength = length }
    }

    // MARK: Certain blocks

    /// Integrity bytes that differ from those in [SK...R1].
    public static let wrongIntegrity = SPCMutation { draft in
        guard var block = draft[.integrity] else { return }
        block.value = block.value.map { ~$0 }
        draft[.integrity] = block
    }

    /// The versions of Table 2-9: `used` is not the newest of `supported`.
    public static func protocolVersions(used: UInt32, supported: [UInt32]) -> SPCMutation {
        SPCMutation { draft in
            draft[.protocolVersionUsed] = .padded(.protocolVersionUsed, bigEndian(used))
            draft[.protocolVersionsSupported] = .padded(.protocolVersionsSupported, supported.flatMap { bigEndian($0) })
        }
    }

    /// Version 1 in use where the device supports 1 and 2.
    public static let protocolDowngrade = protocolVersions(used: 1, supported: [1, 2])

    /// Asks for exactly these blocks back, whether they are there or not, once or twice.
    public static func requestingReturn(of tags: [SPCDraft.Tag]) -> SPCMutation {
        value(.tagReturnRequest, tags.flatMap { bigEndian($0.rawValue) })
    }

    /// Asks for one more block back, which is not there.
    public static let requestingAbsentTag = SPCMutation { draft in
        let request = draft[.tagReturnRequest]?.value ?? []
        draft[.tagReturnRequest] = .padded(.tagReturnRequest, request + bigEndian(UInt64(0x0123_4567_89ab_cdef)))
    }

    /// Another creation date in the Media Playback State block, in seconds since 1970.
    public static func createdAt(_ seconds: UInt32) -> SPCMutation {
        overwriting(.mediaPlaybackState, at: 0, with: seconds)
    }

    /// Any number as the playback state.
    public static func playbackState(_ state: UInt32) -> SPCMutation {
        overwriting(.mediaPlaybackState, at: 4, with: state)
    }

    /// Another version of the VM Device Information block.
    public static func vmInformationVersion(_ version: UInt32) -> SPCMutation {
        overwriting(.vmDeviceInformation, at: 0, with: version)
    }

    /// Writes a number over 4 bytes of a value, if the block is there and long enough.
    private static func overwriting(_ tag: SPCDraft.Tag, at offset: Int, with number: UInt32) -> SPCMutation {
        SPCMutation { draft in
            guard var block = draft[tag], block.value.count >= offset + 4 else { return }
            block.value.replaceSubrange(offset..<offset + 4, with: bigEndian(number))
            draft[tag] = block
        }
    }
}

extension SPCDraft.Block {
    /// A block with as few bytes of padding as possible. They are fixed, so that mutations use up no random numbers.
    static func padded(_ tag: SPCDraft.Tag, _ value: [UInt8]) -> SPCDraft.Block {
        SPCDraft.Block(tag, value: value, padding: [UInt8](repeating: 0xa5, count: (16 - value.count % 16) % 16))
    }
}
