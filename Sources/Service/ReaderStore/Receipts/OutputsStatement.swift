internal import CBOR
package import MdocModel

/// The contents of a receipt about outputs: which accessories acted on the outcome of a presentation.
///
/// The receipt of a presentation is written before an output acts. The store therefore appends this statement
/// later, when the last output of the presentation is settled, and links it to the presentation's receipt by
/// its number. A statement about outputs is no presentation, and no statistic counts it as one.
///
/// The statement belongs to version 2, as `ReceiptStatement` with members of version 2. Its encoding is
/// deterministic CBOR, and parsing accepts only the exact encoding that `encoded()` gives.
package struct OutputsStatement: Hashable, Sendable {
    /// An accessory and the final state of its output.
    package struct Entry: Hashable, Sendable {
        package let accessory: ReceiptLabel
        package let state: OutputState

        package init(accessory: ReceiptLabel, state: OutputState) {
            self.accessory = accessory
            self.state = state
        }
    }

    /// The maximum number of outputs of one presentation.
    package static let mostOutputs = 16

    /// The time at which the last output was settled.
    package let time: Timestamp
    /// The lane of the presentation.
    package let lane: ReceiptLabel
    /// The version of the program that recorded the outputs.
    package let software: ReceiptLabel
    /// The number of the presentation's receipt.
    package let receipt: Int64
    /// The outputs in the order in which they were recorded, each accessory once.
    package let outputs: [Entry]

    /// Creates a statement; `nil` unless it has 1 to `mostOutputs` settled outputs of different accessories, and
    /// the number of a receipt.
    package init?(
        time: Timestamp, lane: ReceiptLabel, software: ReceiptLabel, receipt: Int64, outputs: [Entry]
    ) {
        guard (1...Self.mostOutputs).contains(outputs.count), receipt > 0,
            outputs.allSatisfy(\.state.isSettled),
            Set(outputs.map(\.accessory)).count == outputs.count
        else { return nil }
        self.time = time
        self.lane = lane
        self.software = software
        self.receipt = receipt
        self.outputs = outputs
    }
}

extension OutputsStatement {
    /// The value of the member `kind`, which no statement about a presentation has.
    package static let kind = "outputs"
    package static let version: Int64 = 2

    /// Returns the deterministic encoding (RFC 8949 4.2.1).
    package func encoded() -> [UInt8] {
        DeterministicMap.encode { map in
            map.set("version", integer: Self.version)
            map.set("kind", text: Self.kind)
            map.set("time", integer: time.secondsSince1970)
            map.set("lane", text: lane.text)
            map.set("software", text: software.text)
            map.set("of", integer: receipt)
            map.set("outputs", array: outputs.map { $0.encoded() })
        }
    }

    /// Parses a statement. Throws `receiptMalformed` unless the bytes are exactly what `encoded()` gives.
    init(_ item: CBORItem) throws(ReaderStoreError) {
        guard let statement = try? Self.read(item), item.encoded.elementsEqual(statement.encoded()) else {
            throw .receiptMalformed
        }
        self = statement
    }

    private static func read(_ item: CBORItem) throws -> OutputsStatement {
        let map = try item.map()
        return try OutputsStatement(
            time: Timestamp(received: map["time"].orMalformed().integer()).orMalformed(),
            lane: map["lane"].label(), software: map["software"].label(),
            receipt: map["of"].orMalformed().integer(),
            outputs: map["outputs"].orMalformed().array().map { try Entry($0) }
        ).orMalformed()
    }
}

extension OutputsStatement.Entry {
    fileprivate func encoded() -> [UInt8] {
        DeterministicMap.encode { map in
            map.set("accessory", text: accessory.text)
            map.set("state", text: state.rawValue)
        }
    }

    fileprivate init(_ item: CBORItem) throws {
        let map = try item.map()
        self.init(accessory: try map["accessory"].label(), state: try map["state"].word())
    }
}
