package import JSON
internal import MdocModel

/// What the hub says that a kiosk should have. It is not signed: it names documents, and stops, and nothing else.
package struct HubState: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package let level: FleetLevel
        package let version: Int64
        /// The SHA-256 of the document.
        package let digest: [UInt8]

        package init(level: FleetLevel, version: Int64, digest: [UInt8]) {
            self.level = level
            self.version = version
            self.digest = digest
        }
    }

    /// The latest receipt that the hub has.
    package struct Head: Equatable, Sendable {
        package let sequence: Int64
        package let digest: [UInt8]

        package init(sequence: Int64, digest: [UInt8]) {
            self.sequence = sequence
            self.digest = digest
        }
    }

    package let isStopped: Bool
    package let documents: [Entry]
    package let receipts: Head

    package init(isStopped: Bool, documents: [Entry], receipts: Head) {
        self.isStopped = isStopped
        self.documents = documents
        self.receipts = receipts
    }

    package init(_ bytes: [UInt8]) throws(JSONFault) {
        let members = try JSONText(bytes[...]).members(["stopped", "documents", "receipts"])
        isStopped = try members.required("stopped").boolean()
        documents = try members.required("documents").array(upTo: FleetLevel.allCases.count).map {
            entry throws(JSONFault) in
            let members = try entry.members(["level", "version", "sha256"])
            return Entry(
                level: try members.required("level").word(),
                version: try members.required("version").integer(in: 1...JSONValue.largestExactInteger),
                digest: try members.required("sha256").digest())
        }
        receipts = try Head(members.required("receipts"))
    }

    package var json: JSONValue {
        [
            "stopped": .boolean(isStopped),
            "documents": .array(
                documents.map {
                    [
                        "level": .string($0.level.rawValue), "version": .integer($0.version),
                        "sha256": .string($0.digest.hexadecimal),
                    ]
                }),
            "receipts": receipts.json,
        ]
    }
}

extension HubState.Head {
    package init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(["sequence", "digest"])
        sequence = try members.required("sequence").integer(in: 0...JSONValue.largestExactInteger)
        digest = try members.required("digest").digest()
    }

    package var json: JSONValue {
        ["sequence": .integer(sequence), "digest": .string(digest.hexadecimal)]
    }
}

/// Where the broker is, and the password with which this kiosk is let in until the next one is made.
package struct BrokerAccess: Equatable, Sendable {
    package let host: String
    package let port: Int64
    package let user: String
    package let password: String

    package init(host: String, port: Int64, user: String, password: String) {
        self.host = host
        self.port = port
        self.user = user
        self.password = password
    }

    package init(_ bytes: [UInt8]) throws(JSONFault) {
        let members = try JSONText(bytes[...]).members(["host", "port", "user", "password"])
        host = try members.required("host").string(upTo: 253)
        port = try members.required("port").integer(in: 1...65535)
        user = try members.required("user").string(upTo: 64)
        password = try members.required("password").string(upTo: 128)
    }

    package var json: JSONValue {
        [
            "host": .string(host), "port": .integer(port), "user": .string(user),
            "password": .string(password),
        ]
    }
}

/// What a kiosk says of itself to its hub: what it obeys, and why it refuses what it refuses. No word of it is about a person.
package struct KioskReport: Equatable, Sendable {
    package static let maximumSize = 1 << 13

    package struct Entry: Equatable, Sendable {
        package let level: FleetLevel
        package let version: Int64
        /// `applied`, or the id of a refusal.
        package let result: String

        package init(level: FleetLevel, version: Int64, result: String) {
            self.level = level
            self.version = version
            self.result = result
        }
    }

    package var software: String
    package var documents: [Entry]
    /// The id of what the hub says of receipts; empty where they arrive.
    package var receipts: String

    package init(software: String, documents: [Entry], receipts: String) {
        self.software = software
        self.documents = documents
        self.receipts = receipts
    }

    package init(_ text: JSONText) throws(JSONFault) {
        let members = try text.members(["software", "documents", "receipts"])
        software = try members.required("software").string(upTo: 64)
        documents = try members.required("documents").array(upTo: FleetLevel.allCases.count).map {
            entry throws(JSONFault) in
            let members = try entry.members(["level", "version", "result"])
            return Entry(
                level: try members.required("level").word(),
                version: try members.required("version").integer(in: 1...JSONValue.largestExactInteger),
                result: try members.required("result").string(upTo: 64))
        }
        receipts = try members["receipts"]?.string(upTo: 64) ?? ""
    }

    package var json: JSONValue {
        let documents = documents.map { entry -> JSONValue in
            [
                "level": .string(entry.level.rawValue), "version": .integer(entry.version),
                "result": .string(entry.result),
            ]
        }
        let members: [(String, JSONValue)] = [
            ("software", .string(software)), ("documents", .array(documents)),
        ]
        return .object(members + (receipts.isEmpty ? [] : [("receipts", .string(receipts))]))
    }
}

extension JSONText {
    fileprivate func digest() throws(JSONFault) -> [UInt8] {
        guard let bytes = try string(upTo: 64).utf8.bytesOfHexadecimal, bytes.count == 32 else {
            throw wrong("must be a SHA-256 in 64 hexadecimal digits")
        }
        return bytes
    }
}
