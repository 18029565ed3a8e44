package import CBOR

/// A DeviceRequestInfo (ISO/IEC 18013-5 second edition 10.2): the use cases for which a request asks for its
/// documents.
package struct DeviceRequestInfo: Hashable, Sendable {
    /// A use case. Any one of its document sets answers it.
    package struct UseCase: Hashable, Sendable {
        package let isMandatory: Bool
        /// Sets of indices into `docRequests`, in order of preference. There is at least one set, and no set
        /// is empty.
        package let documentSets: [[Int]]
        package let purposeHints: [PurposeHint]

        package init(isMandatory: Bool, documentSets: [[Int]], purposeHints: [PurposeHint] = []) {
            self.isMandatory = isMandatory
            self.documentSets = documentSets
            self.purposeHints = purposeHints
        }
    }

    /// A purpose: a code, and the party that defines it.
    package struct PurposeHint: Hashable, Sendable {
        package let definedBy: String
        package let code: Int64

        package init(definedBy: String, code: Int64) {
            self.definedBy = definedBy
            self.code = code
        }
    }

    package let useCases: [UseCase]

    package init(useCases: [UseCase]) {
        self.useCases = useCases
    }

    package func encoded() -> EncodedCBOR<DeviceRequestInfo> {
        EncodedCBOR(
            embedding: CBOREncoder.encode { encoder in
                encoder.map(count: useCases.isEmpty ? 0 : 1)
                guard !useCases.isEmpty else { return }
                encoder.text("useCases")
                encoder.array(count: useCases.count)
                for useCase in useCases { useCase.encode(to: &encoder) }
            })
    }

    /// Parses the map. A use case may refer to the first `documentCount` documents only.
    init(_ item: CBORItem, documentCount: Int) throws(CBORError) {
        let list = try item.map().optional("useCases")
        useCases =
            try list?.array().map { entry throws(CBORError) in
                try UseCase(entry, documentCount: documentCount)
            } ?? []
    }
}

extension DeviceRequestInfo.UseCase {
    fileprivate func encode(to encoder: inout CBOREncoder) {
        encoder.map(count: purposeHints.isEmpty ? 2 : 3)
        encoder.text("mandatory")
        encoder.boolean(isMandatory)
        encoder.text("documentSets")
        encoder.array(count: documentSets.count)
        for set in documentSets {
            encoder.array(count: set.count)
            for index in set { encoder.integer(Int64(index)) }
        }
        guard !purposeHints.isEmpty else { return }
        encoder.text("purposeHints")
        encoder.map(count: purposeHints.count)
        for hint in purposeHints {
            encoder.text(hint.definedBy)
            encoder.integer(hint.code)
        }
    }

    /// Parses a use case, whose indices must be below `documentCount`.
    fileprivate init(_ item: CBORItem, documentCount: Int) throws(CBORError) {
        let map = try item.map()
        isMandatory = try map.required("mandatory", in: item).boolean()
        let list = try map.required("documentSets", in: item)
        documentSets = try list.array().map { set throws(CBORError) in
            let indices = try set.array().map { index throws(CBORError) in
                guard let place = Int(exactly: try index.unsigned()), place < documentCount else {
                    throw CBORError.outOfRange(at: index.offset)
                }
                return place
            }
            // An empty set lacks its first index, so it is reported as a missing member.
            guard !indices.isEmpty else { throw .missingMember(at: set.offset) }
            return indices
        }
        guard !documentSets.isEmpty else { throw .missingMember(at: list.offset) }
        purposeHints =
            try map.optional("purposeHints")?.map().map { hint throws(CBORError) in
                .init(definedBy: try hint.key.name(), code: try hint.value.integer())
            } ?? []
    }
}
