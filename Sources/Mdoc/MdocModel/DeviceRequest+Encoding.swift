package import CBOR

extension DeviceRequest {
    /// Encodes a request of version 1.0 for these documents, each with its encoded readerAuth if there is
    /// one.
    package static func encode(
        _ documents: [(items: EncodedCBOR<ItemsRequest>, readerAuth: [UInt8]?)]
    ) -> [UInt8] {
        encode(documents, version: firstVersion)
    }

    /// Encodes a request. Only a request of version 1.1 may have `info` and `readerAuthAll`, which are
    /// members of the second edition.
    static func encode(
        _ documents: [(items: EncodedCBOR<ItemsRequest>, readerAuth: [UInt8]?)], version: String,
        info: EncodedCBOR<DeviceRequestInfo>? = nil, readerAuthAll: [UInt8]? = nil
    ) -> [UInt8] {
        CBOREncoder.encode { encoder in
            encoder.map(count: 2 + (info == nil ? 0 : 1) + (readerAuthAll == nil ? 0 : 1))
            encoder.text("version")
            encoder.text(version)
            encoder.text("docRequests")
            encoder.array(count: documents.count)
            for document in documents {
                encoder.map(count: document.readerAuth == nil ? 1 : 2)
                encoder.text("itemsRequest")
                encoder.encoded(document.items.bytes)
                if let readerAuth = document.readerAuth {
                    encoder.text("readerAuth")
                    encoder.encoded(readerAuth)
                }
            }
            if let readerAuthAll {
                encoder.text("readerAuthAll")
                // The member is a list of signatures. This reader makes one signature.
                encoder.array(count: 1)
                encoder.encoded(readerAuthAll)
            }
            if let info {
                encoder.text("deviceRequestInfo")
                encoder.encoded(info.bytes)
            }
        }
    }
}
